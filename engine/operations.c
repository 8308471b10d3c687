#include "engine/operations.h"

#include <stdlib.h>

#include "base/mem.h"
#include "engine/layers/layers.h"
#include "engine/plan_profiles.h"

/* One layer at one set of lengths. */
typedef struct operations_layer {
  const tarei_graph *graph;
  const tarei_node *node;
  const int64_t *symbols;
} operations_layer;

/* 0 where a dim is not known. */
static double operations_dim_of(const operations_layer *const l, const int value, const int axis) {
  int64_t dim = 0;
  const tarei_value *const v = &l->graph->values[value];
  return tarei_expr_eval(l->graph->exprs, v->dims[axis], l->symbols, &dim) ? (double)dim : 0;
}

static double operations_count_of(const operations_layer *const l, const int value) {
  double count = 1;
  for (int d = 0; d < l->graph->values[value].rank; d++) {
    count *= operations_dim_of(l, value, d);
  }
  return count;
}

double tarei_operations_by_weights(const tarei_graph *const graph, const tarei_node *const node,
                                   const int64_t *const symbols) {
  const operations_layer l = {graph, node, symbols};
  return operations_count_of(&l, node->out[0]) * operations_count_of(&l, node->in[1]) /
         operations_dim_of(&l, node->in[1], 0);
}

double tarei_operations_by_row(const tarei_graph *const graph, const tarei_node *const node,
                               const int64_t *const symbols) {
  const operations_layer l = {graph, node, symbols};
  return operations_count_of(&l, node->out[0]) *
         operations_dim_of(&l, node->in[0], graph->values[node->in[0]].rank - 1);
}

double tarei_operations_by_gemm(const tarei_graph *const graph, const tarei_node *const node,
                                const int64_t *const symbols) {
  const operations_layer l = {graph, node, symbols};
  const bool transposed = tarei_attr_int(node, "transA", 0) != 0;
  return operations_count_of(&l, node->out[0]) *
         operations_dim_of(&l, node->in[0], transposed ? 0 : 1);
}

double tarei_operations_by_keys(const tarei_graph *const graph, const tarei_node *const node,
                                const int64_t *const symbols) {
  const operations_layer l = {graph, node, symbols};
  return operations_dim_of(&l, node->in[1], 1) *
         (operations_count_of(&l, node->in[0]) + operations_count_of(&l, node->out[0]));
}

double tarei_operations_by_recurrence(const tarei_graph *const graph, const tarei_node *const node,
                                      const int64_t *const symbols) {
  const operations_layer l = {graph, node, symbols};
  return operations_dim_of(&l, node->in[0], 0) * operations_dim_of(&l, node->in[0], 1) *
         (operations_count_of(&l, node->in[1]) + operations_count_of(&l, node->in[2]));
}

/* A length that only a run tells counts as the longest one of the profile, up to that of a sentence
 * of speech: frames follow from letters, tokens from frames. */
static void guess_measured(const tare_plan *const plan, int64_t *const symbols) {
  enum { SENTENCE = 256 };
  int64_t longest = 1;
  for (int s = 0; s < plan->n_symbols; s++) {
    longest = plan->symbols[s] >= 0 && symbols[s] > longest ? symbols[s] : longest;
  }
  for (int s = 0; s < plan->n_symbols; s++) {
    const int64_t length = longest < SENTENCE ? longest : SENTENCE;
    symbols[s] = plan->symbols[s] < 0 ? length : symbols[s];
  }
}

tare_status tare_plan_layer_operations(const tare_plan *const plan, const int i,
                                       const int64_t *const values, double *const out,
                                       tare_error *const err) {
  *out = 0;
  TAREI_TRY(tarei_check_number("layer", i, plan->n_layers, err));
  const tarei_step *const step = tarei_layer_step(&plan->layers[i]);
  if (!step->lowering->operations) {
    return TARE_OK;
  }
  int64_t *const symbols = tarei_calloc((size_t)plan->n_symbols, sizeof *symbols);
  if (!symbols) {
    return tarei_fail_memory(err, "symbols", (size_t)plan->n_symbols * sizeof *symbols);
  }
  tarei_plan_symbols(plan, values, symbols);
  guess_measured(plan, symbols);
  *out = 2 * step->lowering->operations(step->graph, step->node, symbols);
  free(symbols);
  return TARE_OK;
}
