#include <stdlib.h>

#include "base/limits.h"
#include "base/mem.h"
#include "graph/ir/ir.h"
#include "graph/measured_dims.h"
#include "graph/op.h"
#include "graph/pass.h"

enum { MOST_OPERANDS = 1 << 16 }; /* far beyond real models */

/* What went wrong so far; many nodes may fail and all are told. */
typedef struct infer_report {
  tarei_str text;
  int failures;
  tare_status status;
} infer_report;

static void infer_forget_outputs(tarei_graph *const graph, const tarei_node *const node) {
  for (int i = 0; i < node->n_out; i++) {
    if (node->out[i] >= 0) {
      tarei_value *const value = &graph->values[node->out[i]];
      value->dtype = TARE_DTYPE_NONE;
      value->rank = -1;
      (void)tarei_value_set_contents(graph, node->out[i], NULL, 0); /* taking away cannot fail */
    }
  }
}

static bool is_inferred(const tarei_graph *const graph, const int value) {
  return value < 0 ||
         (graph->values[value].dtype != TARE_DTYPE_NONE && graph->values[value].rank >= 0);
}

static bool all_inferred(const tarei_graph *const graph, const int *const list, const int n) {
  for (int i = 0; i < n; i++) {
    if (!is_inferred(graph, list[i])) {
      return false;
    }
  }
  return true;
}

/* `max` -1: any number. */
static tare_status check_count(const int n, const int min, const int max, const char *const what,
                               tare_error *const err) {
  if (n < min) {
    return tarei_fail(err, TARE_E_MODEL, "has %d %s, needs %s%d", n, what,
                      min == max ? "" : "at least ", min);
  }
  if (max >= 0 && n > max) {
    return tarei_fail(err, TARE_E_MODEL, "has %d %s, takes %s%d", n, what,
                      min == max ? "" : "at most ", max);
  }
  return TARE_OK;
}

static tare_status infer_check_counts(const tarei_node *const node, tare_error *const err) {
  const tarei_op *const op = node->op;
  if (node->n_in > MOST_OPERANDS || node->n_out > MOST_OPERANDS) {
    return tarei_fail(err, TARE_E_LIMIT, "has %d inputs and %d outputs, the limit is %d",
                      node->n_in, node->n_out, MOST_OPERANDS);
  }
  TAREI_TRY(check_count(node->n_in, op->min_in, op->max_in, "inputs", err));
  TAREI_TRY(check_count(node->n_out, op->min_out, op->max_out, "outputs", err));
  for (int i = 0; i < op->min_in; i++) {
    if (node->in[i] < 0) {
      return tarei_fail(err, TARE_E_MODEL, "input %d is missing", i);
    }
  }
  for (int i = 0; i < op->min_out; i++) {
    if (node->out[i] < 0) { /* imported nodes have it: it stands so in a plan */
      return tarei_fail(err, TARE_E_MODEL, "output %d is missing", i);
    }
  }
  return TARE_OK;
}

bool tarei_graph_has_operands(const tarei_graph *const graph) {
  for (int n = 0; n < graph->n_nodes; n++) {
    if (graph->nodes[n].op && infer_check_counts(&graph->nodes[n], NULL) != TARE_OK) {
      return false;
    }
  }
  return true;
}

/* Dims must be known, and the fixed ones alone may not make a tensor that memory cannot hold. */
static tare_status infer_check_dims(const tarei_graph *const graph, const int index,
                                    tare_error *const err) {
  const tarei_value *const value = index < 0 ? NULL : &graph->values[index];
  int64_t bytes = value ? (int64_t)tare_dtype_size(value->dtype) : 0;
  for (int i = 0; value && i < value->rank; i++) {
    int64_t dim = 1;
    if (value->dims[i] == TAREI_EXPR_NONE) {
      return tarei_fail(err, TARE_E_UNSUPPORTED, "dim %d of tensor '%s' depends on data", i,
                        value->name);
    }
    (void)tarei_value_dim_const(graph, index, i, &dim); /* symbols count as 1, and so does 0 */
    dim = dim ? dim : 1;
    if (!tarei_mul_i64(bytes, dim, &bytes)) {
      return tarei_fail_limit(err, &graph->limits, TAREI_LIMIT_memory, -1, "tensor '%s' takes",
                              value->name);
    }
  }
  return bytes <= graph->limits.memory ? TARE_OK
                                       : tarei_fail_limit(err, &graph->limits, TAREI_LIMIT_memory,
                                                          bytes, "tensor '%s' takes", value->name);
}

static tare_status infer_node(tarei_graph *graph, int index, tare_error *err);

/* Replaces a node by what its operator consists of. */
static tare_status expand_node(tarei_graph *const graph, const int index, tare_error *const err) {
  const int first = graph->n_nodes;
  TAREI_TRY(graph->nodes[index].op->expand(graph, index, err));
  if (graph->n_nodes > 2 * graph->limits.nodes) { /* those taken apart are still counted in */
    return tarei_fail_limit(err, &graph->limits, TAREI_LIMIT_nodes, graph->n_nodes,
                            "composite operators expand to");
  }
  for (int n = first; n < graph->n_nodes; n++) {
    if (graph->nodes[n].op) {
      TAREI_TRY(infer_node(graph, n, err));
    }
  }
  tarei_graph_remove_node(graph, index);
  return TARE_OK;
}

static tare_status infer_node(tarei_graph *const graph, const int index, tare_error *const err) {
  tarei_node *const node = &graph->nodes[index];
  TAREI_TRY(infer_check_counts(node, err));
  if (node->op->expand && (!node->op->expands || node->op->expands(graph, node))) {
    return expand_node(graph, index, err);
  }
  for (int i = 0; i < node->n_in; i++) {
    int n = 0;
    (void)tarei_value_contents(graph, node->in[i], &n); /* makes those of small constants */
  }
  TAREI_TRY(node->op->infer(graph, node, err));
  if (!all_inferred(graph, node->out, node->n_out)) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "cannot infer the type of an output");
  }
  for (int i = 0; i < node->n_out; i++) {
    TAREI_TRY(infer_check_dims(graph, node->out[i], err));
  }
  return TARE_OK;
}

static void add_failure(infer_report *const r, const tarei_node *const node,
                        const tare_status status, const char *const message) {
  enum { SHOWN = 16 };
  if (r->failures < SHOWN) {
    tarei_str_add(&r->text, "%snode '%s' (%s): %s", r->failures ? "; " : "", node->name,
                  node->op->name, message);
  }
  if (r->status == TARE_OK || status == TARE_E_MODEL || status == TARE_E_MEMORY) {
    r->status = status; /* a broken rule weighs more than a missing form */
  }
  r->failures++;
  if (r->failures == SHOWN + 1) {
    tarei_str_add(&r->text, "; and more");
  }
}

static tare_status infer_in_order(tarei_graph *const graph, int *const order,
                                  tarei_measured_list *const measured, tare_error *const err) {
  int n = 0;
  TAREI_TRY(tarei_graph_order(graph, order, &n, err));
  for (int i = 0; i < graph->n_inputs; i++) {
    const tare_status status = infer_check_dims(graph, graph->inputs[i], err);
    if (status != TARE_OK) {
      return tarei_fail_in(err, status, "%s", graph->name);
    }
  }
  for (int i = 0; i < n; i++) {
    if (!tarei_measured_note(graph, order[i], measured)) {
      return tarei_fail_memory(err, graph->name, measured->n * sizeof *measured->at);
    }
    infer_forget_outputs(graph, &graph->nodes[order[i]]);
  }
  infer_report r = {0};
  for (int i = 0; i < n; i++) {
    if (!all_inferred(graph, graph->nodes[order[i]].in, graph->nodes[order[i]].n_in)) {
      continue; /* whoever makes that input has been reported */
    }
    tare_error inner = {0};
    const tare_status status = infer_node(graph, order[i], &inner);
    if (status != TARE_OK) {
      const tarei_node *const node = &graph->nodes[order[i]];
      infer_forget_outputs(graph, node);
      add_failure(&r, node, status, inner.message);
    } else {
      tarei_measured_settle(graph, measured, order[i]);
    }
  }
  if (r.failures) {
    (void)tarei_fail(err, r.status, "%s: %s", graph->name, tarei_str_get(&r.text));
  }
  tarei_str_free(&r.text);
  return r.status;
}

tare_status tarei_graph_infer(tarei_graph *const graph, tare_error *const err) {
  int *const order = tarei_calloc((size_t)graph->n_nodes, sizeof *order);
  if (!order) {
    return tarei_fail_memory(err, graph->name, (size_t)graph->n_nodes * sizeof *order);
  }
  const int before = graph->n_nodes;
  tarei_measured_list measured = {0};
  const tare_status status = infer_in_order(graph, order, &measured, err);
  free(measured.at);
  free(order);
  const bool expanded = status == TARE_OK && graph->n_nodes > before;
  return expanded ? tarei_graph_compact(graph, err) : status;
}
