/* ConvLast and QConvLast: channels-last convolution. */
#include "graph/ops/ops_common.h"

static tare_status infer_conv_last(tarei_graph *const graph, tarei_node *const node,
                                   tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(tarei_ops_want_same_dtype(x, tarei_ops_in(graph, node, 1), err));
  tarei_shape out;
  TAREI_TRY(tarei_ops_conv(graph, node, true, &out, err));
  TAREI_TRY(tarei_ops_want_residual(graph, node, &out, err));
  return tarei_ops_give_writable(graph, node, x->dtype, &out, err);
}

static tare_status infer_qconv_last(tarei_graph *const graph, tarei_node *const node,
                                    tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  TAREI_TRY(tarei_ops_want_quantized(graph, node, err));
  tarei_shape out;
  TAREI_TRY(tarei_ops_conv(graph, node, true, &out, err));
  TAREI_TRY(tarei_ops_want_residual(graph, node, &out, err));
  return tarei_ops_give_quantized(graph, node, &out, err);
}

const tarei_op tarei_op_conv_last = {
    .name = "ConvLast",
    .domain = "tare",
    .min_in = 2,
    .max_in = 4,
    .min_out = 1,
    .max_out = 2,
    .writes_bytes = true,
    .int8 =
        &(const tarei_int8_form){
            .op = &tarei_op_qconv_last, .activations = 1, .weights = 1, .byte_residual = true},
    .infer = infer_conv_last,
};

const tarei_op tarei_op_qconv_last = {
    .name = "QConvLast",
    .domain = "tare",
    .min_in = 2,
    .max_in = 4,
    .min_out = 1,
    .max_out = 2,
    .writes_bytes = true,
    .infer = infer_qconv_last,
};
