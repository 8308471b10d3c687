/* MatMulInteger and ConvInteger: exact sums of products of bytes, less their zero points. */
#include "graph/ops/ops_common.h"

static tare_status want_bytes(const tarei_value *const value, tare_error *const err) {
  return value->dtype == TARE_U8 || value->dtype == TARE_I8
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL, "'%s' is %s, expected int8 or uint8", value->name,
                          tare_dtype_name(value->dtype));
}

/* Operand and zero point i. */
static tare_status integer_products_check_operand(const tarei_graph *const graph,
                                                  const tarei_node *const node, const int i,
                                                  tare_error *const err) {
  const tarei_value *const x = tarei_ops_in(graph, node, i);
  const tarei_value *const zero = tarei_ops_in(graph, node, i + 2);
  TAREI_TRY(want_bytes(x, err));
  return zero ? tarei_ops_want_dtype(zero, x->dtype, err) : TARE_OK;
}

static tare_status integer_products_infer_matmul(tarei_graph *const graph, tarei_node *const node,
                                                 tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  TAREI_TRY(integer_products_check_operand(graph, node, 0, err));
  TAREI_TRY(integer_products_check_operand(graph, node, 1, err));
  tarei_shape out;
  TAREI_TRY(tarei_ops_matmul(graph, tarei_ops_in(graph, node, 0), tarei_ops_in(graph, node, 1),
                             false, &out, err));
  return tarei_ops_give(graph, node, 0, TARE_I32, &out, err);
}

/* Inputs X, W, x_zero_point, w_zero_point: the third one is no bias. */
static tare_status integer_products_infer_conv(tarei_graph *const graph, tarei_node *const node,
                                               tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  TAREI_TRY(integer_products_check_operand(graph, node, 0, err));
  TAREI_TRY(integer_products_check_operand(graph, node, 1, err));
  const int n_in = node->n_in;
  tarei_shape out;
  node->n_in = 2;
  const tare_status status = tarei_ops_conv(graph, node, false, &out, err);
  node->n_in = n_in;
  return status != TARE_OK ? status : tarei_ops_give(graph, node, 0, TARE_I32, &out, err);
}

const tarei_op tarei_op_matmul_integer = {
    .name = "MatMulInteger",
    .domain = "",
    .min_in = 2,
    .max_in = 4,
    .min_out = 1,
    .max_out = 1,
    .infer = integer_products_infer_matmul,
};

const tarei_op tarei_op_conv_integer = {
    .name = "ConvInteger",
    .domain = "",
    .slides = true,
    .min_in = 2,
    .max_in = 4,
    .min_out = 1,
    .max_out = 1,
    .infer = integer_products_infer_conv,
};
