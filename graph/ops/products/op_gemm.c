#include "graph/ops/ops_common.h"

static tare_status infer_gemm(tarei_graph *const graph, tarei_node *const node,
                              tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const a = tarei_ops_in(graph, node, 0);
  const tarei_value *const b = tarei_ops_in(graph, node, 1);
  const tarei_value *const c = tarei_ops_in(graph, node, 2);
  TAREI_TRY(tarei_ops_want_rank(a, 2, 2, err));
  TAREI_TRY(tarei_ops_want_rank(b, 2, 2, err));
  TAREI_TRY(tarei_ops_want_same_dtype(a, b, err));
  const int trans_a = tarei_attr_int(node, "transA", 0) != 0;
  const int trans_b = tarei_attr_int(node, "transB", 0) != 0;
  TAREI_TRY(tarei_ops_want_inner(graph, a, 1 - trans_a, b, trans_b, err));
  const tarei_shape out = {2, {a->dims[trans_a], b->dims[1 - trans_b]}};
  if (c) {
    TAREI_TRY(tarei_ops_want_same_dtype(a, c, err));
    TAREI_TRY(tarei_ops_want_fits(graph, c, &out, err));
  }
  return tarei_ops_give(graph, node, 0, a->dtype, &out, err);
}

static int gemm_channel_axis(const tarei_node *const node, const int rank) {
  return rank == 2 ? !tarei_attr_int(node, "transB", 0) : -1;
}

const tarei_op tarei_op_gemm = {
    .name = "Gemm",
    .domain = "",
    .min_in = 2,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .channel_axis = gemm_channel_axis,
    .infer = infer_gemm,
};
