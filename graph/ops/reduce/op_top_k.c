/* TopK. k is an attribute before opset 10 and an input since; where only a run knows it, the dim is
 * measured. */
#include <inttypes.h>

#include "graph/ops/ops_common.h"

static tare_status op_top_k_read(const tarei_graph *const graph, const tarei_node *const node,
                                 tarei_expr *const k, tare_error *const err) {
  if (tarei_ops_in(graph, node, 1)) {
    TAREI_TRY(tarei_ops_one(graph, node, 1, k, err));
    *k = *k == TAREI_EXPR_NONE ? tarei_ops_measured(graph, node, 0) : *k;
    return TARE_OK;
  }
  if (!tarei_attr_find(node, "k")) {
    return tarei_fail(err, TARE_E_MODEL, "needs input or attribute 'k'");
  }
  *k = tarei_expr_const(graph->exprs, tarei_attr_int(node, "k", 0));
  return TARE_OK;
}

static tare_status top_k_infer(tarei_graph *const graph, tarei_node *const node,
                               tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  tarei_shape out = tarei_ops_shape(x);
  tarei_expr k;
  int axis = 0;
  int64_t n, most;
  TAREI_TRY(tarei_ops_axis(tarei_attr_int(node, "axis", -1), x->rank, &axis, err));
  TAREI_TRY(op_top_k_read(graph, node, &k, err));
  if (tarei_expr_is_const(graph->exprs, k, &n) &&
      tarei_expr_is_const(graph->exprs, x->dims[axis], &most) && n > most) {
    return tarei_fail(err, TARE_E_MODEL, "k is %" PRId64 ", more than the axis length of %" PRId64,
                      n, most);
  }
  out.dims[axis] = k;
  TAREI_TRY(tarei_ops_give(graph, node, 0, x->dtype, &out, err));
  return tarei_ops_give(graph, node, 1, TARE_I64, &out, err);
}

const tarei_op tarei_op_top_k = {
    .name = "TopK",
    .domain = "",
    .sign = TAREI_SIGN_FIRST,
    .min_in = 1,
    .max_in = 2,
    .min_out = 1,
    .max_out = 2,
    .infer = top_k_infer,
};
