/* OneHot. A depth that only a run knows is measured. */
#include <inttypes.h>

#include "graph/ops/ops_common.h"

static tare_status one_hot_infer(tarei_graph *const graph, tarei_node *const node,
                                 tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 3, err));
  const tarei_value *const indices = tarei_ops_in(graph, node, 0);
  const tarei_value *const values = tarei_ops_in(graph, node, 2);
  tarei_expr depth;
  int64_t n;
  int axis = 0;
  TAREI_TRY(tarei_ops_want_rank(indices, 0, TARE_MAX_RANK - 1, err));
  TAREI_TRY(tarei_ops_want_vector(graph, values, tarei_expr_const(graph->exprs, 2), err));
  TAREI_TRY(tarei_ops_axis(tarei_attr_int(node, "axis", -1), indices->rank + 1, &axis, err));
  TAREI_TRY(tarei_ops_one(graph, node, 1, &depth, err));
  if (tarei_expr_is_const(graph->exprs, depth, &n) && n < 0) {
    return tarei_fail(err, TARE_E_MODEL, "negative depth %" PRId64, n);
  }
  tarei_shape out = {.rank = indices->rank + 1};
  for (int i = 0; i < out.rank; i++) {
    out.dims[i] = i == axis ? depth : indices->dims[i - (i > axis)];
  }
  if (depth == TAREI_EXPR_NONE) {
    out.dims[axis] = tarei_ops_measured(graph, node, 0);
  }
  return tarei_ops_give(graph, node, 0, values->dtype, &out, err);
}

const tarei_op tarei_op_one_hot = {
    .name = "OneHot",
    .domain = "",
    .min_in = 3,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .infer = one_hot_infer,
};
