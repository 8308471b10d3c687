/* Det and Inverse (of com.microsoft): square matrices as the last two axes. */
#include "graph/ops/ops_common.h"

static tare_status want_squares(const tarei_graph *const graph, const tarei_node *const node,
                                tarei_shape *const shape, tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(tarei_ops_want_rank(x, 2, TARE_MAX_RANK, err));
  *shape = tarei_ops_shape(x);
  if (tarei_ops_differ(graph, x->dims[x->rank - 2], x->dims[x->rank - 1])) {
    char text[256];
    return tarei_fail(err, TARE_E_MODEL, "the matrices of '%s' are not square: its shape is %s",
                      x->name, tarei_ops_show(graph, shape, text, sizeof text));
  }
  return TARE_OK;
}

static tare_status infer_det(tarei_graph *const graph, tarei_node *const node,
                             tare_error *const err) {
  tarei_shape shape;
  TAREI_TRY(want_squares(graph, node, &shape, err));
  shape.rank -= 2;
  return tarei_ops_give(graph, node, 0, tarei_ops_in(graph, node, 0)->dtype, &shape, err);
}

static tare_status infer_inverse(tarei_graph *const graph, tarei_node *const node,
                                 tare_error *const err) {
  tarei_shape shape;
  TAREI_TRY(want_squares(graph, node, &shape, err));
  return tarei_ops_give(graph, node, 0, tarei_ops_in(graph, node, 0)->dtype, &shape, err);
}

#define SQUARE(id, onnx_name, in_domain, ...) \
  const tarei_op tarei_op_##id = {            \
      .name = onnx_name,                      \
      .domain = in_domain,                    \
      .min_in = 1,                            \
      .max_in = 1,                            \
      .min_out = 1,                           \
      .max_out = 1,                           \
      __VA_ARGS__,                            \
  }

SQUARE(det, "Det", "", .infer = infer_det);
SQUARE(ms_inverse, "Inverse", "com.microsoft", .growth = TAREI_GROWTH_INVERSE,
       .infer = infer_inverse);
