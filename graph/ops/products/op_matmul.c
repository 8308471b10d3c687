#include "graph/ops/ops_common.h"

static tare_status op_matmul_infer(tarei_graph *const graph, tarei_node *const node,
                                   tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const a = tarei_ops_in(graph, node, 0);
  const tarei_value *const b = tarei_ops_in(graph, node, 1);
  TAREI_TRY(tarei_ops_want_same_dtype(a, b, err));
  tarei_shape out;
  TAREI_TRY(tarei_ops_matmul(graph, a, b, false, &out, err));
  return tarei_ops_give(graph, node, 0, a->dtype, &out, err);
}

static int matmul_channel_axis(const tarei_node *const node, const int rank) {
  (void)node;
  return rank > 1 ? rank - 1 : -1;
}

const tarei_op tarei_op_matmul = {
    .name = "MatMul",
    .domain = "",
    .growth = TAREI_GROWTH_PRODUCT,
    .sign = TAREI_SIGN_ALL,
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .channel_axis = matmul_channel_axis,
    .int8 =
        &(const tarei_int8_form){
            .op = &tarei_op_qmatmul, .activations = 2, .sum_first = -2, .sum_last = -2},
    .infer = op_matmul_infer,
};
