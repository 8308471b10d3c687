/* QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear: per tensor, along an axis, in blocks.
 */
#include <inttypes.h>

#include "graph/ir/type_name.h"
#include "graph/ops/ops_common.h"

/* int8, uint8, int16 or uint16. */
static bool is_stored(const tare_dtype dtype) {
  return dtype == TARE_I8 || dtype == TARE_U8 || dtype == TARE_I16 || dtype == TARE_U16;
}

/* The number of blocks along the axis is that of the scales. */
static tare_status check_blocks(const tarei_graph *const graph, const tarei_value *const x,
                                const tarei_value *const scale, const int axis, const int64_t block,
                                tare_error *const err) {
  for (int i = 0; i < x->rank; i++) {
    tarei_expr wanted = x->dims[i];
    if (i == axis) {
      wanted = tarei_expr_ceildiv(graph->exprs, wanted, tarei_expr_const(graph->exprs, block));
    }
    if (tarei_ops_differ(graph, wanted, scale->dims[i])) {
      return tarei_fail(err, TARE_E_MODEL,
                        "the shape of scales '%s' does not match the input in blocks of %" PRId64
                        " along axis %d",
                        scale->name, block, axis);
    }
  }
  return TARE_OK;
}

/* One number, or a vector of one. */
static bool is_single(const tarei_graph *const graph, const tarei_value *const v) {
  int64_t n;
  return v->rank == 0 ||
         (v->rank == 1 && tarei_expr_is_const(graph->exprs, v->dims[0], &n) && n == 1);
}

/* One number, or one for each place of the axis. */
static tare_status check_along_axis(const tarei_graph *const graph, const tarei_node *const node,
                                    const tarei_value *const v, tare_error *const err) {
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  int axis;
  if (is_single(graph, v)) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_ops_axis(tarei_attr_int(node, "axis", 1), x->rank, &axis, err));
  TAREI_TRY(tarei_ops_want_rank(v, 1, 1, err));
  return tarei_ops_want_vector(graph, v, x->dims[axis], err);
}

/* Scales are one number, one for each place of an axis, or one for each block of an axis. */
static tare_status check_scale(const tarei_graph *const graph, const tarei_node *const node,
                               tare_error *const err) {
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const tarei_value *const scale = tarei_ops_in(graph, node, 1);
  const int64_t block = tarei_attr_int(node, "block_size", 0);
  int axis;
  if (scale->dtype != TARE_F32) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "scale '%s' is %s, expected float32", scale->name,
                      tare_dtype_name(scale->dtype));
  }
  if (block == 0 || scale->rank == 0) {
    return check_along_axis(graph, node, scale, err);
  }
  TAREI_TRY(tarei_ops_axis(tarei_attr_int(node, "axis", 1), x->rank, &axis, err));
  if (block < 0) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'block_size': expected 0 or more, got %" PRId64,
                      block);
  }
  TAREI_TRY(tarei_ops_want_rank(scale, x->rank, x->rank, err));
  return check_blocks(graph, x, scale, axis, block, err);
}

/* The zero points lie as the scales do, or all scales share one, which some exporters write. */
static tare_status check_zero_point(const tarei_graph *const graph, const tarei_node *const node,
                                    const tare_dtype dtype, tare_error *const err) {
  const tarei_value *const scale = tarei_ops_in(graph, node, 1);
  const tarei_value *const zero = tarei_ops_in(graph, node, 2);
  if (!zero) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_ops_want_dtype(zero, dtype, err));
  if (tarei_attr_int(node, "block_size", 0) == 0) {
    return check_along_axis(graph, node, zero, err);
  }
  for (int i = 0; zero->rank == scale->rank && i < zero->rank; i++) {
    if (tarei_ops_differ(graph, zero->dims[i], scale->dims[i])) {
      return tarei_fail(err, TARE_E_MODEL, "zero points '%s' and scales '%s' differ in shape",
                        zero->name, scale->name);
    }
  }
  return zero->rank == scale->rank || (zero->rank <= 1 && scale->rank <= 1)
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL,
                          "zero points '%s' have rank %d, but scales have rank %d", zero->name,
                          zero->rank, scale->rank);
}

/* What "output_dtype" asks for, or what the other inputs say. Half floats are float32 here. */
static tare_dtype output_dtype(const tarei_node *const node, const tare_dtype otherwise) {
  const int64_t asked = tarei_attr_int(node, "output_dtype", 0);
  const bool half = asked == TARE_F16 || asked == TARE_BF16;
  return half ? TARE_F32 : asked > 0 && asked <= INT32_MAX ? (tare_dtype)asked : otherwise;
}

static tare_status infer_quantize_linear(tarei_graph *const graph, tarei_node *const node,
                                         tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const tarei_value *const zero = tarei_ops_in(graph, node, 2);
  const tare_dtype dtype = output_dtype(node, zero ? zero->dtype : TARE_U8);
  if (x->dtype != TARE_F32 && x->dtype != TARE_I32) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "input is %s, expected float32 or int32",
                      tare_dtype_name(x->dtype));
  }
  if (!is_stored(dtype)) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "quantizes to ONNX type %s, expected int8, uint8, int16 or uint16",
                      tarei_type_name_of(dtype).text);
  }
  TAREI_TRY(check_scale(graph, node, err));
  TAREI_TRY(check_zero_point(graph, node, dtype, err));
  const tarei_shape shape = tarei_ops_shape(x);
  return tarei_ops_give(graph, node, 0, dtype, &shape, err);
}

static tare_status infer_dequantize_linear(tarei_graph *const graph, tarei_node *const node,
                                           tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  if (!is_stored(x->dtype) && x->dtype != TARE_I32) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "input is %s, expected int8, uint8, int16, uint16 or int32",
                      tare_dtype_name(x->dtype));
  }
  if (output_dtype(node, TARE_F32) != TARE_F32) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "dequantizes to unsupported ONNX type %" PRId64,
                      tarei_attr_int(node, "output_dtype", 0));
  }
  TAREI_TRY(check_scale(graph, node, err));
  TAREI_TRY(check_zero_point(graph, node, x->dtype, err));
  const tarei_shape shape = tarei_ops_shape(x);
  return tarei_ops_give(graph, node, 0, TARE_F32, &shape, err);
}

static tare_status infer_dynamic(tarei_graph *const graph, tarei_node *const node,
                                 tare_error *const err) {
  static const tarei_shape scalar = {0};
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_dtype(x, TARE_F32, err));
  const tarei_shape shape = tarei_ops_shape(x);
  TAREI_TRY(tarei_ops_give(graph, node, 0, TARE_U8, &shape, err));
  TAREI_TRY(tarei_ops_give(graph, node, 1, TARE_F32, &scalar, err));
  return tarei_ops_give(graph, node, 2, TARE_U8, &scalar, err);
}

const tarei_op tarei_op_quantize_linear = {
    .name = "QuantizeLinear",
    .domain = "",
    .min_in = 2,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_quantize_linear,
};

const tarei_op tarei_op_dequantize_linear = {
    .name = "DequantizeLinear",
    .domain = "",
    .min_in = 2,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_dequantize_linear,
};

const tarei_op tarei_op_dynamic_quantize_linear = {
    .name = "DynamicQuantizeLinear",
    .domain = "",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1, /* three by its definition; nobody may read the last ones */
    .max_out = 3,
    .infer = infer_dynamic,
};
