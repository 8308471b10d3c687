/* Linear and QLinear: X [.., K] . W [K, N]. */
#include "graph/ops/ops_common.h"

static tare_status linear_shape(const tarei_graph *const graph, const tarei_node *const node,
                                tarei_shape *const out, tare_error *const err) {
  const tarei_value *const w = tarei_ops_in(graph, node, 1);
  const tarei_value *const bias = tarei_ops_in(graph, node, 2);
  TAREI_TRY(tarei_ops_want_rank(w, 2, 2, err));
  TAREI_TRY(tarei_ops_matmul(graph, tarei_ops_in(graph, node, 0), w, false, out, err));
  return bias ? tarei_ops_want_vector(graph, bias, w->dims[1], err) : TARE_OK;
}

static tare_status infer_linear(tarei_graph *const graph, tarei_node *const node,
                                tare_error *const err) {
  return tarei_ops_layer(graph, node, linear_shape, err);
}

static tare_status infer_qlinear(tarei_graph *const graph, tarei_node *const node,
                                 tare_error *const err) {
  return tarei_ops_int8_layer(graph, node, linear_shape, err);
}

const tarei_op tarei_op_linear = {
    .name = "Linear",
    .stands_for = "MatMul Gemm",
    .domain = "tare",
    .sign = TAREI_SIGN_ALL,
    .min_in = 2,
    .max_in = 4,
    .min_out = 1,
    .max_out = 2,
    .writes_bytes = true,
    .adds_residual = true,
    .stores_weights = true,
    .takes_activation = true,
    .int8 = &(const tarei_int8_form){.op = &tarei_op_qlinear,
                                     .activations = 1,
                                     .weights = 1,
                                     .sum_first = -2,
                                     .sum_last = -2,
                                     .row_bytes = true},
    .infer = infer_linear,
};

const tarei_op tarei_op_qlinear = {
    .name = "QLinear",
    .domain = "tare",
    .min_in = 2,
    .max_in = 6,
    .min_out = 1,
    .max_out = 3,
    .writes_bytes = true,
    .writes_rows = true,
    .infer = infer_qlinear,
};
