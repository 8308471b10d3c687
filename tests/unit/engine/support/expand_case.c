#include "unit/engine/support/expand_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/evaluate.h"
#include "unit/engine/support/one_node.h"

void expand_start(expansion *const e) {
  *e = (expansion){.graph = tarei_graph_new("expansion")};
  assert_non_null(e->graph);
}

void expand_input(expansion *const e, const tare_dtype dtype, const int rank,
                  const int64_t *const dims, const void *const data) {
  float random[4096];
  size_t n = 1;
  for (int d = 0; d < rank; d++) {
    n *= (size_t)dims[d];
  }
  assert_true(n <= 4096 && (data || dtype == TARE_F32));
  for (size_t i = 0; i < n && !data; i++) {
    random[i] = one_node_float();
  }
  e->in[e->n_in++] = tarei_graph_add_const(e->graph, "c", dtype, rank, dims, data ? data : random);
}

void expand_absent(expansion *const e) {
  e->in[e->n_in++] = -1;
}

tarei_node *expand_node(expansion *const e, const char *const op, const char *const domain,
                        const int opset, const int n_out) {
  for (e->n_out = 0; e->n_out < n_out; e->n_out++) {
    char name[16];
    if (e->out[e->n_out] < 0) {
      continue;
    }
    (void)snprintf(name, sizeof name, "y%d", e->n_out);
    e->out[e->n_out] = tarei_graph_add_value(e->graph, name);
    assert_true(tarei_graph_mark_output(e->graph, e->out[e->n_out]));
  }
  e->node =
      tarei_graph_add_node(e->graph, op, domain, "node", opset, e->in, e->n_in, e->out, n_out);
  assert_true(e->node >= 0);
  return &e->graph->nodes[e->node];
}

const float *expand_data(const expansion *const e, const int value) {
  return e->graph->values[value].data->data;
}

void expand_run(expansion *const e) {
  tarei_kernels kernels;
  tare_error err = {0};
  tarei_kernels_select(TAREI_ISA_ALL, &kernels);
  tarei_evaluation evaluation;
  tarei_evaluation_start(&evaluation, &kernels);
  char names[EXPAND_MOST][16];
  for (int i = 0; i < e->n_in; i++) { /* what only the expansion read stays for the test to read */
    if (e->in[i] >= 0 && !e->graph->values[e->in[i]].is_output) {
      assert_true(tarei_graph_mark_output(e->graph, e->in[i]));
    }
  }
  if (tarei_graph_infer(e->graph, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  for (int i = 0; i < e->n_out; i++) {
    (void)snprintf(names[i], sizeof names[i], "y%d", i);
    e->out[i] = e->out[i] < 0 ? -1 : tarei_graph_find_value(e->graph, names[i]);
  }
  for (int n = 0; n < e->graph->n_nodes; n++) {
    tarei_buffer *out[EXPAND_MOST] = {0};
    const tarei_node *const node = &e->graph->nodes[n];
    assert_non_null(node->op->infer);
    if (tarei_evaluate(&evaluation, e->graph, node, out, &err) != TARE_OK) {
      fail_msg("%s: %s", node->op->name, err.message);
    }
    for (int o = 0; o < node->n_out; o++) {
      if (node->out[o] >= 0) {
        e->graph->values[node->out[o]].data = out[o];
      } else {
        tarei_buffer_release(out[o]);
      }
    }
  }
}

void expand_refused(expansion *const e, const char *const text) {
  tare_error err = {0};
  assert_int_not_equal(tarei_graph_infer(e->graph, &err), TARE_OK);
  if (!strstr(err.message, text)) {
    fail_msg("'%s' is not in: %s", text, err.message);
  }
  tarei_graph_free(e->graph);
}

void expand_expect(const expansion *const e, const int output, const size_t i, const double value) {
  const double got = (double)expand_data(e, e->out[output])[i];
  if (!(fabs(got - value) <= 1e-4 * fmax(1, fabs(value)))) {
    fail_msg("output %d, element %zu: %.9g instead of %.9g", output, i, got, value);
  }
}
