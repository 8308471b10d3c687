#include "graph/ops/ops_common.h"

/* The element to fill with, as an integer where it is one. */
static tare_status constant_of_shape_read_fill(const tarei_graph *const graph,
                                               const tarei_node *const node,
                                               tare_dtype *const dtype, tarei_expr *const fill,
                                               tare_error *const err) {
  const tarei_attr *const attr = tarei_attr_find(node, "value");
  *dtype = TARE_F32;
  *fill = TAREI_EXPR_NONE;
  if (!attr) {
    return TARE_OK;
  }
  if (attr->kind != TAREI_ATTR_TENSOR || tare_tensor_count(&attr->tensor) != 1 ||
      !attr->tensor.data) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'value': expected a tensor of one element");
  }
  *dtype = attr->tensor.dtype;
  if (*dtype == TARE_I64) {
    *fill = tarei_expr_const(graph->exprs, *(const int64_t *)attr->tensor.data);
  } else if (*dtype == TARE_I32) {
    *fill = tarei_expr_const(graph->exprs, *(const int32_t *)attr->tensor.data);
  } else if (*dtype == TARE_BOOL) {
    *fill = tarei_expr_const(graph->exprs, *(const uint8_t *)attr->tensor.data != 0);
  }
  return TARE_OK;
}

static tare_status infer_constant_of_shape(tarei_graph *const graph, tarei_node *const node,
                                           tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_rank(x, 1, 1, err));
  tare_dtype dtype;
  tarei_expr fill, contents[TAREI_MAX_CONTENTS];
  TAREI_TRY(constant_of_shape_read_fill(graph, node, &dtype, &fill, err));
  tarei_shape shape;
  TAREI_TRY(tarei_ops_shape_input(graph, node, 0, &shape, err));
  for (int i = 0, measured = 0; i < shape.rank; i++) {
    if (shape.dims[i] == TAREI_EXPR_NONE) {
      shape.dims[i] = tarei_ops_measured(graph, node, measured++);
    }
  }
  TAREI_TRY(tarei_ops_give(graph, node, 0, dtype, &shape, err));
  int64_t n;
  if (!tarei_expr_is_const(graph->exprs, tarei_ops_product(graph, &shape, 0, shape.rank), &n) ||
      n > TAREI_MAX_CONTENTS) {
    return TARE_OK;
  }
  for (int i = 0; i < n; i++) {
    contents[i] = fill;
  }
  return tarei_ops_give_contents(graph, node, 0, contents, (int)n, err);
}

const tarei_op tarei_op_constant_of_shape = {
    .name = "ConstantOfShape",
    .domain = "",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_constant_of_shape,
};
