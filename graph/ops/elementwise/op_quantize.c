/* Between float32 and 8-bit activations; scales are annotations of the values. */
#include "graph/ops/ops_common.h"

static tare_status quantize_infer(tarei_graph *const graph, tarei_node *const node,
                                  const tare_dtype from, const tare_dtype to,
                                  tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_dtype(x, from, err));
  const tarei_shape shape = tarei_ops_shape(x);
  return tarei_ops_give(graph, node, 0, to, &shape, err);
}

static tare_status infer_quantize(tarei_graph *const graph, tarei_node *const node,
                                  tare_error *const err) {
  return quantize_infer(graph, node, TARE_F32, TARE_U8, err);
}

static tare_status infer_dequantize(tarei_graph *const graph, tarei_node *const node,
                                    tare_error *const err) {
  return quantize_infer(graph, node, TARE_U8, TARE_F32, err);
}

const tarei_op tarei_op_dequantize = {
    .name = "Dequantize",
    .domain = "tare",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .elementwise = true,
    .infer = infer_dequantize,
};

const tarei_op tarei_op_quantize = {
    .name = "Quantize",
    .domain = "tare",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .elementwise = true,
    .infer = infer_quantize,
};
