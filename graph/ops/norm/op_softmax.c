/* Softmax, LogSoftmax and Hardmax. Before opset 13 they work on a matrix: the axes before and from
 * `axis`.
 */
#include "graph/ops/ops_common.h"

static tare_status infer_softmax(tarei_graph *const graph, tarei_node *const node,
                                 tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_float(x, err));
  int axis = 0;
  TAREI_TRY(
      tarei_ops_axis(tarei_attr_int(node, "axis", node->opset < 13 ? 1 : -1), x->rank, &axis, err));
  const tarei_shape shape = tarei_ops_shape(x);
  return tarei_ops_give(graph, node, 0, x->dtype, &shape, err);
}

#define SOFTMAX(id, onnx_name, grows, signed_as) \
  const tarei_op tarei_op_##id = {               \
      .name = onnx_name,                         \
      .domain = "",                              \
      .growth = TAREI_GROWTH_##grows,            \
      .sign = TAREI_SIGN_##signed_as,            \
      .min_in = 1,                               \
      .max_in = 1,                               \
      .min_out = 1,                              \
      .max_out = 1,                              \
      .infer = infer_softmax,                    \
  }

SOFTMAX(hardmax, "Hardmax", BOUNDED, NEVER);
SOFTMAX(log_softmax, "LogSoftmax", LINEAR, ANY);
SOFTMAX(softmax, "Softmax", BOUNDED, NEVER);
