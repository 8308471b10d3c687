/* What the operators on 8-bit activations share. */
#include <string.h>

#include "graph/ops/ops_common.h"

/* Bytes, their scale and their zero point. */
static tare_status ops_want_run_time(const tarei_graph *const graph, const tarei_node *const node,
                                     tare_error *const err) {
  const tarei_value *const scale = tarei_ops_in(graph, node, TAREI_INT8_ROW_SCALES);
  const tarei_value *const zero = tarei_ops_in(graph, node, TAREI_INT8_ZERO_POINT);
  if (!scale || !zero || tarei_attr_int(node, TAREI_ATTR_ROW_SCALES, 0) == 0 ||
      tarei_attr_find(node, TAREI_ATTR_ACTIVATION_BITS)) {
    return tarei_fail(err, TARE_E_MODEL, "has no scale and zero point of its bytes");
  }
  TAREI_TRY(tarei_ops_want_dtype(scale, TARE_F32, err));
  TAREI_TRY(tarei_ops_want_dtype(zero, TARE_U8, err));
  return tarei_ops_want_dtype(tarei_ops_in(graph, node, 0), TARE_U8, err);
}

tare_status tarei_ops_want_quantized(const tarei_graph *const graph, const tarei_node *const node,
                                     tare_error *const err) {
  const tarei_value *const w = tarei_ops_in(graph, node, 1);
  if (tarei_attr_find(node, TAREI_ATTR_TENSOR_SCALE)) {
    TAREI_TRY(ops_want_run_time(graph, node, err));
    return w->dtype == TARE_I8 ? TARE_OK : tarei_ops_want_float(w, err);
  }
  const bool rows = tarei_attr_int(node, TAREI_ATTR_ROW_SCALES, 0) != 0;
  const bool sixteen = tarei_attr_find(node, TAREI_ATTR_ACTIVATION_BITS) != NULL;
  const tarei_value *const scales = tarei_op_int8_form(node->op)->row_bytes
                                        ? tarei_ops_in(graph, node, TAREI_INT8_ROW_SCALES)
                                        : NULL;
  if (scales && (!rows || sixteen)) {
    return tarei_fail(err, TARE_E_MODEL, "has scales of rows, but no rows with such scales");
  }
  if (scales) {
    TAREI_TRY(tarei_ops_want_dtype(scales, TARE_F32, err));
  }
  const bool floats = (rows && !scales) || sixteen; /* quantized when run */
  TAREI_TRY(tarei_ops_want_dtype(tarei_ops_in(graph, node, 0), floats ? TARE_F32 : TARE_U8, err));
  return w->dtype == TARE_I8 ? TARE_OK : tarei_ops_want_float(w, err);
}

/* The optional residual, input 3, against the output shape. */
static tare_status want_residual(const tarei_graph *const graph, const tarei_node *const node,
                                 const tarei_shape *const shape, tare_error *const err) {
  const tarei_value *const residual = tarei_ops_in(graph, node, 3);
  if (!residual) {
    return TARE_OK;
  }
  if (residual->dtype != TARE_U8) {
    TAREI_TRY(tarei_ops_want_float(residual, err));
  }
  return tarei_ops_want_fits(graph, residual, shape, err);
}

tare_status tarei_ops_give_rows(tarei_graph *const graph, const tarei_node *const node,
                                const int first, const tarei_shape *const shape,
                                tare_error *const err) {
  const int64_t groups = tarei_attr_int(node, TAREI_ATTR_ROW_GROUPS, 1);
  int64_t width = 0;
  const bool whole =
      groups == 1 || (tarei_expr_is_const(graph->exprs, shape->dims[shape->rank - 1], &width) &&
                      groups > 1 && width % groups == 0);
  if (!whole) {
    return tarei_fail(err, TARE_E_MODEL,
                      "attribute '%s': rows of %lld elements have no %lld equal parts",
                      TAREI_ATTR_ROW_GROUPS, (long long)width, (long long)groups);
  }
  tarei_shape scales = *shape;
  scales.dims[scales.rank - 1] = tarei_expr_const(graph->exprs, groups);
  TAREI_TRY(tarei_ops_give(graph, node, first, TARE_U8, shape, err));
  return tarei_ops_give(graph, node, first + 1, TARE_F32, &scales, err);
}

tare_status tarei_ops_give_quantized(tarei_graph *const graph, const tarei_node *const node,
                                     const tarei_shape *const shape, tare_error *const err) {
  static const struct {
    const char *outputs;
    bool floats, bytes, rows;
  } forms[] = {
      {"both", true, true, false},  {"f32", true, false, false}, {"f32+rows", true, false, true},
      {"rows", false, false, true}, {"u8", false, true, false},
  };
  const char *const outputs = tarei_attr_string(node, TAREI_ATTR_OUTPUTS, "f32");
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    const bool known = !forms[i].rows || (node->op->writes_rows && shape->rank > 0);
    if (known && strcmp(outputs, forms[i].outputs) == 0) {
      const int n = forms[i].floats + forms[i].bytes + 2 * forms[i].rows;
      if (node->n_out != n) {
        return tarei_fail(err, TARE_E_MODEL, "has %d outputs, expected %d for '%s'", node->n_out, n,
                          outputs);
      }
      if (forms[i].floats) {
        TAREI_TRY(tarei_ops_give(graph, node, 0, TARE_F32, shape, err));
      }
      if (forms[i].bytes) {
        TAREI_TRY(tarei_ops_give(graph, node, forms[i].floats, TARE_U8, shape, err));
      }
      return forms[i].rows ? tarei_ops_give_rows(graph, node, forms[i].floats, shape, err)
                           : TARE_OK;
    }
  }
  return tarei_fail(err, TARE_E_MODEL, "attribute 'outputs': expected f32, u8 or both, got '%s'",
                    outputs);
}

tare_status tarei_ops_give_writable(tarei_graph *const graph, const tarei_node *const node,
                                    const tare_dtype dtype, const tarei_shape *const shape,
                                    tare_error *const err) {
  return dtype == TARE_F32 && tarei_attr_find(node, TAREI_ATTR_OUTPUTS)
             ? tarei_ops_give_quantized(graph, node, shape, err)
             : tarei_ops_give(graph, node, 0, dtype, shape, err);
}

tare_status tarei_ops_layer(tarei_graph *const graph, const tarei_node *const node,
                            tarei_ops_layer_shape_fn *const shape, tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(tarei_ops_want_same_dtype(x, tarei_ops_in(graph, node, 1), err));
  tarei_shape out;
  TAREI_TRY(shape(graph, node, &out, err));
  TAREI_TRY(want_residual(graph, node, &out, err));
  return tarei_ops_give_writable(graph, node, x->dtype, &out, err);
}

tare_status tarei_ops_int8_layer(tarei_graph *const graph, const tarei_node *const node,
                                 tarei_ops_layer_shape_fn *const shape, tare_error *const err) {
  const int most = tarei_attr_find(node, TAREI_ATTR_TENSOR_SCALE) ? TAREI_INT8_ZERO_POINT
                   : tarei_op_int8_form(node->op)->row_bytes      ? TAREI_INT8_ROW_SCALES
                                                                  : TAREI_INT8_RESIDUAL;
  if (node->n_in > most + 1) {
    return tarei_fail(err, TARE_E_MODEL, "has %d inputs, takes at most %d", node->n_in, most + 1);
  }
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  TAREI_TRY(tarei_ops_want_quantized(graph, node, err));
  tarei_shape out;
  TAREI_TRY(shape(graph, node, &out, err));
  TAREI_TRY(want_residual(graph, node, &out, err));
  return tarei_ops_give_quantized(graph, node, &out, err);
}
