/* DynamicTimeWarping of com.microsoft: the cheapest path through a matrix of costs, [2, steps]. A
 * run tells how many steps it has. */
#include "graph/ops/ops_common.h"

static tare_status infer_dynamic_time_warping(tarei_graph *const graph, tarei_node *const node,
                                              tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_dtype(x, TARE_F32, err));
  TAREI_TRY(tarei_ops_want_rank(x, 2, 3, err));
  if (x->rank == 3 && tarei_ops_differ(graph, x->dims[0], tarei_expr_const(graph->exprs, 1))) {
    return tarei_fail(err, TARE_E_MODEL, "'%s' holds several matrices, expected one", x->name);
  }
  const tarei_shape out = {2,
                           {tarei_expr_const(graph->exprs, 2), tarei_ops_measured(graph, node, 0)}};
  return tarei_ops_give(graph, node, 0, TARE_I32, &out, err);
}

const tarei_op tarei_op_ms_dynamic_time_warping = {
    .name = "DynamicTimeWarping",
    .domain = "com.microsoft",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_dynamic_time_warping,
};
