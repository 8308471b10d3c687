#include "graph/ops/ops_common.h"

static tare_status op_conv_infer(tarei_graph *const graph, tarei_node *const node,
                                 tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(tarei_ops_want_same_dtype(x, tarei_ops_in(graph, node, 1), err));
  tarei_shape out;
  TAREI_TRY(tarei_ops_conv(graph, node, false, &out, err));
  return tarei_ops_give(graph, node, 0, x->dtype, &out, err);
}

static int conv_channel_axis(const tarei_node *const node, const int rank) {
  (void)node;
  return rank > 2 ? 0 : -1;
}

const tarei_op tarei_op_conv = {
    .name = "Conv",
    .domain = "",
    .sign = TAREI_SIGN_ALL,
    .slides = true,
    .min_in = 2,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .channel_axis = conv_channel_axis,
    .infer = op_conv_infer,
};
