/* ConvLast and QConvLast: channels-last convolution. */
#include "graph/ops/ops_common.h"

static tare_status conv_last_shape(const tarei_graph *const graph, const tarei_node *const node,
                                   tarei_shape *const out, tare_error *const err) {
  return tarei_ops_conv(graph, node, true, out, err);
}

static tare_status infer_conv_last(tarei_graph *const graph, tarei_node *const node,
                                   tare_error *const err) {
  return tarei_ops_layer(graph, node, conv_last_shape, err);
}

static tare_status infer_qconv_last(tarei_graph *const graph, tarei_node *const node,
                                    tare_error *const err) {
  return tarei_ops_int8_layer(graph, node, conv_last_shape, err);
}

const tarei_op tarei_op_conv_last = {
    .name = "ConvLast",
    .stands_for = "Conv",
    .domain = "tare",
    .sign = TAREI_SIGN_ALL,
    .slides = true,
    .min_in = 2,
    .max_in = 4,
    .min_out = 1,
    .max_out = 2,
    .writes_bytes = true,
    .adds_residual = true,
    .stores_weights = true,
    .takes_activation = true,
    .int8 = &(const tarei_int8_form){.op = &tarei_op_qconv_last,
                                     .activations = 1,
                                     .weights = 1,
                                     .sum_first = 1,
                                     .sum_last = -1,
                                     .windows = true,
                                     .byte_residual = true},
    .infer = infer_conv_last,
};

const tarei_op tarei_op_qconv_last = {
    .name = "QConvLast",
    .domain = "tare",
    .slides = true,
    .min_in = 2,
    .max_in = 6,
    .min_out = 1,
    .max_out = 2,
    .writes_bytes = true,
    .infer = infer_qconv_last,
};
