/* ArgMax and ArgMin: where along an axis the largest or smallest element stands. */
#include "graph/ops/ops_common.h"

static tare_status arg_extreme_infer(tarei_graph *const graph, tarei_node *const node,
                                     tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const bool keep = tarei_attr_int(node, "keepdims", 1) != 0;
  int axis = 0;
  TAREI_TRY(tarei_ops_axis(tarei_attr_int(node, "axis", 0), x->rank, &axis, err));
  tarei_shape out = {0};
  for (int i = 0; i < x->rank; i++) {
    if (i != axis) {
      out.dims[out.rank++] = x->dims[i];
    } else if (keep) {
      out.dims[out.rank++] = tarei_expr_const(graph->exprs, 1);
    }
  }
  return tarei_ops_give(graph, node, 0, TARE_I64, &out, err);
}

#define ARG_EXTREME(id, onnx_name) \
  const tarei_op tarei_op_##id = { \
      .name = onnx_name,           \
      .domain = "",                \
      .min_in = 1,                 \
      .max_in = 1,                 \
      .min_out = 1,                \
      .max_out = 1,                \
      .infer = arg_extreme_infer,  \
  }

ARG_EXTREME(arg_max, "ArgMax");
ARG_EXTREME(arg_min, "ArgMin");
