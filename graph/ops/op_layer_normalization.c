#include "graph/ops/ops_common.h"

static tare_status infer_layer_normalization(tarei_graph *const graph, tarei_node *const node,
                                             tare_error *const err) {
  TARE_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TARE_TRY(tarei_ops_want_float(x, err));
  int axis = 0;
  TARE_TRY(tarei_ops_axis(tarei_attr_int(node, "axis", -1), x->rank, &axis, err));
  const tarei_shape shape = tarei_ops_shape(x);
  for (int i = 1; i < node->n_in && i < 3; i++) {
    const tarei_value *const parameter = tarei_ops_in(graph, node, i);
    if (parameter) {
      TARE_TRY(tarei_ops_want_fits(graph, parameter, &shape, err));
    }
  }
  TARE_TRY(tarei_ops_give_writable(graph, node, x->dtype, &shape, err));
  if (tarei_attr_find(node, "outputs")) {
    return TARE_OK; /* the second one holds bytes, not statistics */
  }
  tarei_shape statistics = shape;
  for (int i = axis; i < shape.rank; i++) {
    statistics.dims[i] = tarei_expr_const(graph->exprs, 1);
  }
  TARE_TRY(tarei_ops_give(graph, node, 1, TARE_F32, &statistics, err));
  return tarei_ops_give(graph, node, 2, TARE_F32, &statistics, err);
}

const tarei_op tarei_op_layer_normalization = {
    .name = "LayerNormalization",
    .domain = "",
    .min_in = 2,
    .max_in = 3,
    .min_out = 1,
    .max_out = 3,
    .writes_bytes = true,
    .infer = infer_layer_normalization,
};
