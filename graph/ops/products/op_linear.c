/* Linear and QLinear: X [.., K] . W [K, N]. */
#include "graph/ops/ops_common.h"

static tare_status infer_product(const tarei_graph *const graph, const tarei_node *const node,
                                 tarei_shape *const out, tare_error *const err) {
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const tarei_value *const w = tarei_ops_in(graph, node, 1);
  const tarei_value *const bias = tarei_ops_in(graph, node, 2);
  TAREI_TRY(tarei_ops_want_rank(w, 2, 2, err));
  TAREI_TRY(tarei_ops_matmul(graph, x, w, false, out, err));
  if (bias) {
    TAREI_TRY(tarei_ops_want_vector(graph, bias, w->dims[1], err));
  }
  return tarei_ops_want_residual(graph, node, out, err);
}

static tare_status infer_linear(tarei_graph *const graph, tarei_node *const node,
                                tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(tarei_ops_want_same_dtype(x, tarei_ops_in(graph, node, 1), err));
  tarei_shape out;
  TAREI_TRY(infer_product(graph, node, &out, err));
  return tarei_ops_give_writable(graph, node, x->dtype, &out, err);
}

static tare_status infer_qlinear(tarei_graph *const graph, tarei_node *const node,
                                 tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  TAREI_TRY(tarei_ops_want_quantized(graph, node, err));
  tarei_shape out;
  TAREI_TRY(infer_product(graph, node, &out, err));
  return tarei_ops_give_quantized(graph, node, &out, err);
}

const tarei_op tarei_op_linear = {
    .name = "Linear",
    .domain = "tare",
    .min_in = 2,
    .max_in = 4,
    .min_out = 1,
    .max_out = 2,
    .writes_bytes = true,
    .int8 = &(const tarei_int8_form){.op = &tarei_op_qlinear, .activations = 1, .weights = 1},
    .infer = infer_linear,
};

const tarei_op tarei_op_qlinear = {
    .name = "QLinear",
    .domain = "tare",
    .min_in = 2,
    .max_in = 4,
    .min_out = 1,
    .max_out = 2,
    .writes_bytes = true,
    .infer = infer_qlinear,
};
