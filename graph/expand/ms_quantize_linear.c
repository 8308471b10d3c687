/* com.microsoft QuantizeLinear and DequantizeLinear: those of ONNX, before it had 16-bit types. */
#include "graph/expand/qdq.h"

static tare_status ms_quantize_linear_expand(tarei_graph *const graph, const int node,
                                             const char *const op, tare_error *const err) {
  tarei_build b = tarei_build_at(graph, node);
  const tarei_qdq x = tarei_qdq_in(&b, 0);
  tarei_build_into(&b, op, (const int[]){x.value, x.scale, x.zero}, x.zero < 0 ? 2 : 3,
                   graph->nodes[node].out[0]);
  tarei_qdq_attrs(&b, b.last);
  return tarei_build_done(&b, err);
}

static tare_status expand_quantize(tarei_graph *const graph, const int node,
                                   tare_error *const err) {
  return ms_quantize_linear_expand(graph, node, "QuantizeLinear", err);
}

static tare_status expand_dequantize(tarei_graph *const graph, const int node,
                                     tare_error *const err) {
  return ms_quantize_linear_expand(graph, node, "DequantizeLinear", err);
}

const tarei_op tarei_op_ms_quantize_linear = {
    .name = "QuantizeLinear",
    .domain = "com.microsoft",
    .min_in = 2,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .expand = expand_quantize,
};

const tarei_op tarei_op_ms_dequantize_linear = {
    .name = "DequantizeLinear",
    .domain = "com.microsoft",
    .min_in = 2,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .expand = expand_dequantize,
};
