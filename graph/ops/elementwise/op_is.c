/* IsInf and IsNaN: bools about floats. */
#include "graph/ops/ops_common.h"

static tare_status infer_is(tarei_graph *const graph, tarei_node *const node,
                            tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_float(x, err));
  const tarei_shape shape = tarei_ops_shape(x);
  return tarei_ops_give(graph, node, 0, TARE_BOOL, &shape, err);
}

#define IS(id, onnx_name)          \
  const tarei_op tarei_op_##id = { \
      .name = onnx_name,           \
      .domain = "",                \
      .min_in = 1,                 \
      .max_in = 1,                 \
      .min_out = 1,                \
      .max_out = 1,                \
      .elementwise = true,         \
      .infer = infer_is,           \
  }

IS(is_inf, "IsInf");
IS(is_nan, "IsNaN");
