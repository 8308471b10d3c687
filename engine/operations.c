/* Operations of layers: two for each multiply-add of a product, as peaks of machines are given. */
#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "engine/plan.h"

/* One layer at one set of lengths. */
typedef struct operations_layer {
  const tarei_graph *graph;
  const tarei_node *node;
  const int64_t *symbols;
} operations_layer;

/* 0 where a dim is not known; a double, as a sum over layers may pass 2^63. */
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

/* Each output of a convolution is a product with the weights of its own channel. */
static double by_weights(const operations_layer *const l) {
  const int w = l->node->in[1];
  return operations_count_of(l, l->node->out[0]) * operations_count_of(l, w) /
         operations_dim_of(l, w, 0);
}

/* Each output is a product with a row of the first input. */
static double by_row(const operations_layer *const l) {
  const int x = l->node->in[0];
  return operations_count_of(l, l->node->out[0]) *
         operations_dim_of(l, x, l->graph->values[x].rank - 1);
}

/* Each element of Q meets each key, and each value meets each row. */
static double by_keys(const operations_layer *const l) {
  const tarei_node *const n = l->node;
  return operations_dim_of(l, n->in[1], 1) *
         (operations_count_of(l, n->in[0]) + operations_count_of(l, n->out[0]));
}

/* Each row of the input meets W, and a state R, in each direction. */
static double by_recurrence(const operations_layer *const l) {
  const int x = l->node->in[0];
  return operations_dim_of(l, x, 0) * operations_dim_of(l, x, 1) *
         (operations_count_of(l, l->node->in[1]) + operations_count_of(l, l->node->in[2]));
}

static double by_gemm(const operations_layer *const l) {
  const bool transposed = tarei_attr_int(l->node, "transA", 0) != 0;
  return operations_count_of(l, l->node->out[0]) *
         operations_dim_of(l, l->node->in[0], transposed ? 0 : 1);
}

typedef double rule(const operations_layer *l);
static rule *const RULES[TAREI_OP_COUNT] = {
#define TARE_OPERATIONS(id, how) [TAREI_OP_##id] = how,
#include "engine/operations.inc"
#undef TARE_OPERATIONS
};

double tare_plan_layer_operations(const tare_plan *const plan, const int i,
                                  const int64_t *const values) {
  assert(i >= 0 && i < plan->n_layers);
  int64_t *const symbols = tarei_calloc((size_t)plan->n_symbols, sizeof *symbols);
  if (!symbols) {
    return 0;
  }
  tarei_plan_symbols(plan, values, symbols);
  const tare_plan *const part = plan->layers[i].plan;
  const operations_layer l = {part->graph, part->steps[plan->layers[i].step].node, symbols};
  rule *const count = RULES[tarei_op_id_of(l.node->op)];
  const double operations = count ? 2 * count(&l) : 0;
  free(symbols);
  return operations;
}
