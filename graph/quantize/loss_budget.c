#include "graph/quantize/loss_budget.h"

#include <stdlib.h>

#include "base/mem.h"
#include "graph/ir/internal_attrs.h"
#include "graph/op.h"
#include "graph/quantize/row_need.h"

/* A tensor that a convolution reads, and what one scale costs its rows. */
typedef struct budget_item {
  int value;
  double loss;
} budget_item;

static int budget_order(const void *const a, const void *const b) {
  const budget_item *const x = a, *const y = b;
  return x->loss != y->loss ? (x->loss > y->loss) - (x->loss < y->loss)
                            : (x->value > y->value) - (x->value < y->value);
}

/* Whether the windows of a channels-last convolution lie along one axis. Those over two overlap so
 * much that row scales cost them time. */
static bool budget_is_line(const tarei_graph *const g, const tarei_node *const node) {
  const tarei_value *const w = &g->values[node->in[1]];
  int long_axes = 0;
  for (int d = 1; d < w->rank - 1; d++) {
    int64_t taps;
    long_axes += !tarei_expr_is_const(g->exprs, w->dims[d], &taps) || taps > 1;
  }
  return long_axes < 2;
}

/* Whether a tensor would have one scale in a convolution, though row scales lose less. */
static bool budget_has(const tarei_graph *const g, const tarei_node *const node) {
  const tarei_int8_form *const form = node->op->int8;
  if (!form || !form->windows || tarei_attr_int(node, TAREI_ATTR_NORM, 0) ||
      !budget_is_line(g, node)) {
    return false;
  }
  const tarei_quant *const quant = &g->values[node->in[0]].quant;
  return quant->n_scales && !quant->stated && !quant->follows_level &&
         !tarei_quant_is_exceeded(quant) && quant->granularity == TAREI_PER_ROW;
}

static int budget_collect(const tarei_graph *const g, bool *const seen, budget_item *const out) {
  int n = 0;
  for (int i = 0; i < g->n_nodes; i++) {
    if (g->nodes[i].op && budget_has(g, &g->nodes[i]) && !seen[g->nodes[i].in[0]]) {
      const int value = g->nodes[i].in[0];
      seen[value] = true;
      out[n++] = (budget_item){value, g->values[value].quant.static_loss};
    }
  }
  return n;
}

tare_status tarei_graph_budget_losses(tarei_graph *const g, tare_error *const err) {
  const size_t n_values = (size_t)g->n_values;
  bool *const seen = tarei_calloc(n_values, sizeof *seen);
  budget_item *const items = tarei_calloc(n_values, sizeof *items);
  if (!seen || !items) {
    free(seen);
    free(items);
    return tarei_fail_memory(err, "losses of tensors", n_values * sizeof *items);
  }
  const int n = budget_collect(g, seen, items);
  if (n) {
    qsort(items, (size_t)n, sizeof *items, budget_order);
  }
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += items[i].loss;
    g->values[items[i].value].quant.over_budget = tarei_losses_are_many(sum);
  }
  free(seen);
  free(items);
  return TARE_OK;
}
