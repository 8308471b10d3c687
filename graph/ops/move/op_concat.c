#include "graph/ops/ops_common.h"

/* Joins one more input to the sum so far. */
static tare_status concat_join(const tarei_graph *const graph, const tarei_value *const value,
                               const int axis, tarei_shape *const sum, tare_error *const err) {
  TAREI_TRY(tarei_ops_want_rank(value, sum->rank, sum->rank, err));
  for (int i = 0; i < sum->rank; i++) {
    if (i == axis) {
      sum->dims[i] = tarei_expr_add(graph->exprs, sum->dims[i], value->dims[i]);
    } else if (!tarei_ops_unify(graph, sum->dims[i], value->dims[i], &sum->dims[i])) {
      const tarei_shape shape = tarei_ops_shape(value);
      char x[256], y[256];
      return tarei_fail(err, TARE_E_MODEL,
                        "input '%s' of shape %s cannot be concatenated to %s along axis %d",
                        value->name, tarei_ops_show(graph, &shape, x, sizeof x),
                        tarei_ops_show(graph, sum, y, sizeof y), axis);
    }
  }
  return TARE_OK;
}

static tare_status join_contents(tarei_graph *const graph, const tarei_node *const node,
                                 tare_error *const err) {
  tarei_expr contents[TAREI_MAX_CONTENTS], part[TAREI_MAX_CONTENTS];
  int n = 0;
  for (int k = 0; k < node->n_in; k++) {
    const int n_part = tarei_ops_contents(graph, node->in[k], part);
    if (n_part < 0 || n + n_part > TAREI_MAX_CONTENTS) {
      return TARE_OK;
    }
    for (int i = 0; i < n_part; i++) {
      contents[n++] = part[i];
    }
  }
  return tarei_ops_give_contents(graph, node, 0, contents, n, err);
}

static tare_status infer_concat(tarei_graph *const graph, tarei_node *const node,
                                tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, node->n_in, err));
  const tarei_value *const first = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_rank(first, 1, TARE_MAX_RANK, err));
  int axis = 0;
  TAREI_TRY(tarei_ops_axis(tarei_attr_int(node, "axis", 1), first->rank, &axis, err));
  tarei_shape sum = tarei_ops_shape(first);
  for (int k = 1; k < node->n_in; k++) {
    const tarei_value *const value = tarei_ops_in(graph, node, k);
    TAREI_TRY(tarei_ops_want_same_dtype(first, value, err));
    TAREI_TRY(concat_join(graph, value, axis, &sum, err));
  }
  TAREI_TRY(tarei_ops_give(graph, node, 0, first->dtype, &sum, err));
  return sum.rank == 1 ? join_contents(graph, node, err) : TARE_OK;
}

const tarei_op tarei_op_concat = {
    .name = "Concat",
    .domain = "",
    .min_in = 1,
    .max_in = -1,
    .min_out = 1,
    .max_out = 1,
    .selects = true,
    .joins = true,
    .infer = infer_concat,
};
