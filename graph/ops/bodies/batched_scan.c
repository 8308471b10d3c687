/*
 * Scan before opset 9 has a batch: the first axis of states, scanned tensors and outputs, and may
 * be given the length of each sequence. It becomes a Scan over the batch: states too are scanned
 * there, and its body is a node, the Scan over one sequence with the body of the model.
 */
#include "graph/ops/bodies/batched_scan.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "graph/ir/build.h"
#include "graph/ops/ops_common.h"

enum { LENGTHS = 0, FIRST = 1, NAME_BYTES = 32 };

typedef struct batched_scan {
  tarei_graph *body; /* of the model */
  int node, n_in, n_out, n_scanned;
  int *in, *out; /* of either Scan: n_in inputs, n_out outputs of the body */
} batched_scan;

static tare_status batched_scan_read(const tarei_graph *const graph, const int index,
                                     batched_scan *const s, tare_error *const err) {
  const tarei_node *const node = &graph->nodes[index];
  TAREI_TRY(tarei_ops_body(node, "body", &s->body, err));
  const int64_t n = tarei_attr_int(node, "num_scan_inputs", 0);
  if (n < 1 || n > s->body->n_formal || node->n_in != FIRST + s->body->n_inputs ||
      node->n_out > s->body->n_outputs || n > TAREI_MAX_SCANNED) {
    return tarei_fail(err, TARE_E_MODEL,
                      "scans %lld tensors, but its body has %d inputs and %d outputs, the node %d "
                      "and %d",
                      (long long)n, s->body->n_formal, s->body->n_outputs, node->n_in - FIRST,
                      node->n_out);
  }
  if (node->in[LENGTHS] >= 0) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "the lengths '%s' of its sequences are not supported before opset 9: leave "
                      "them out, and mask in the body",
                      graph->values[node->in[LENGTHS]].name);
  }
  for (int i = FIRST; i < node->n_in; i++) {
    if (node->in[i] < 0) {
      return tarei_fail(err, TARE_E_MODEL, "input %d is missing", i);
    }
  }
  s->node = index;
  s->n_scanned = (int)n;
  s->n_in = s->body->n_inputs;
  s->n_out = s->body->n_outputs;
  return TARE_OK;
}

/* Which sequences are read from their ends, to the node that reads single ones. */
static bool hand_directions(const tarei_node *const from, tarei_node *const to, const int n) {
  int given;
  const int64_t *const directions = tarei_attr_ints(from, "directions", &given);
  return !directions || given != n ||
         tarei_attr_set_ints(to, "scan_input_directions", directions, n);
}

/* Operands of the inner Scan: what the body of the outer one is given, and what it gives. */
static bool add_operands(tarei_graph *const middle, batched_scan *const s) {
  bool good = true;
  for (int i = 0; i < s->n_in && good; i++) {
    char name[NAME_BYTES];
    (void)snprintf(name, sizeof name, "in%d", i);
    const bool formal = i < s->body->n_formal;
    s->in[i] =
        formal ? tarei_graph_add_value(middle, name) : tarei_graph_add_capture(middle, name, i);
    good = s->in[i] >= 0 && (!formal || tarei_graph_mark_input(middle, s->in[i]));
    middle->n_formal += formal;
  }
  for (int o = 0; o < s->n_out && good; o++) {
    char name[NAME_BYTES];
    (void)snprintf(name, sizeof name, "out%d", o);
    s->out[o] = tarei_graph_add_value(middle, name);
    good = s->out[o] >= 0;
  }
  return good;
}

/* The body of the outer Scan. The body of the model moves into it. */
static bool write_middle(tarei_graph *const graph, tarei_graph *const middle,
                         batched_scan *const s) {
  tarei_node *const node = &graph->nodes[s->node];
  if (!add_operands(middle, s)) {
    return false;
  }
  const int inner = tarei_graph_add_node(middle, "Scan", "", node->name, TAREI_BUILD_OPSET, s->in,
                                         s->n_in, s->out, s->n_out);
  if (inner < 0 || !tarei_attr_set_int(&middle->nodes[inner], "num_scan_inputs", s->n_scanned) ||
      !hand_directions(node, &middle->nodes[inner], s->n_scanned) ||
      !tarei_attr_set_graph(&middle->nodes[inner], "body", tarei_attr_take_graph(node, "body"))) {
    return false;
  }
  for (int i = 0; i < s->n_in - s->body->n_formal; i++) {
    s->body->captures[i] -= FIRST;
  }
  bool good = true;
  for (int o = 0; o < s->n_out && good; o++) {
    good = tarei_graph_mark_output(middle, s->out[o]);
  }
  return good;
}

static tare_status batched_scan_write(tarei_graph *const graph, batched_scan *const s,
                                      tare_error *const err) {
  tarei_graph *const middle = tarei_graph_new_body(graph, graph->nodes[s->node].name);
  if (!middle || !write_middle(graph, middle, s)) {
    tarei_graph_free(middle);
    return tarei_fail_memory(err, "body", sizeof *middle);
  }
  const int n_formal = s->body->n_formal, n_out = graph->nodes[s->node].n_out;
  tarei_build b = tarei_build_at(graph, s->node);
  for (int i = 0; i < s->n_in; i++) {
    s->in[i] = graph->nodes[s->node].in[FIRST + i];
  }
  for (int o = 0; o < n_out; o++) {
    s->out[o] = graph->nodes[s->node].out[o];
  }
  tarei_build_outputs(&b, "Scan", s->in, s->n_in, s->out, n_out);
  tarei_build_int(&b, "num_scan_inputs", n_formal);
  if (b.failed) {
    tarei_graph_free(middle);
  } else {
    b.failed = !tarei_attr_set_graph(&graph->nodes[b.last], "body", middle);
  }
  return tarei_build_done(&b, err);
}

tare_status tarei_batched_scan_expand(tarei_graph *const graph, const int node,
                                      tare_error *const err) {
  batched_scan s = {0};
  TAREI_TRY(batched_scan_read(graph, node, &s, err));
  s.in = tarei_calloc((size_t)s.n_in, sizeof *s.in);
  s.out = tarei_calloc((size_t)s.n_out, sizeof *s.out);
  const tare_status status = s.in && s.out
                                 ? batched_scan_write(graph, &s, err)
                                 : tarei_fail_memory(err, "Scan", (size_t)s.n_in * sizeof *s.in);
  free(s.in);
  free(s.out);
  return status;
}
