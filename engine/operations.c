#include "engine/operations.h"

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
