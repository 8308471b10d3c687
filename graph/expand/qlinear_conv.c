/* QLinearConv: a convolution of quantized tensors, its bias in units of their products. */
#include "graph/expand/qdq.h"

static int bias(tarei_build *const b, const tarei_qdq x, const tarei_qdq w) {
  const int value = tarei_build_in(b, 8);
  if (value < 0) {
    return -1;
  }
  /* a scale of one element has any rank: the product has the weights' */
  const int64_t flat = -1;
  const int scale = tarei_build_binary(b, "Reshape", tarei_build_binary(b, "Mul", x.scale, w.scale),
                                       tarei_build_i64s(b, &flat, 1));
  const int real = tarei_build_binary(b, "DequantizeLinear", value, scale);
  tarei_build_int(b, "axis", 0);
  return real;
}

static tare_status qlinear_conv_expand(tarei_graph *const graph, const int node,
                                       tare_error *const err) {
  tarei_build b = tarei_build_at(graph, node);
  const bool last = tarei_attr_int(&graph->nodes[node], "channels_last", 0) != 0;
  const tarei_qdq x = tarei_qdq_in(&b, 0), w = tarei_qdq_in(&b, 3);
  const int in[] = {tarei_qdq_channels_first(&b, tarei_qdq_read(&b, x, -1), last),
                    tarei_qdq_read(&b, w, 0), bias(&b, x, w)};
  const int y = tarei_build_node(&b, "Conv", in, in[2] < 0 ? 2 : 3);
  tarei_qdq_attrs(&b, b.last);
  tarei_qdq_write(&b, tarei_qdq_channels_last(&b, y, last), tarei_qdq_scale(&b, 6), x.value);
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_qlinear_conv = {
    .name = "QLinearConv",
    .domain = "",
    .min_in = 8,
    .max_in = 9,
    .min_out = 1,
    .max_out = 1,
    .expand = qlinear_conv_expand,
};

const tarei_op tarei_op_ms_qlinear_conv = {
    .name = "QLinearConv",
    .domain = "com.microsoft",
    .min_in = 8,
    .max_in = 9,
    .min_out = 1,
    .max_out = 1,
    .expand = qlinear_conv_expand,
};
