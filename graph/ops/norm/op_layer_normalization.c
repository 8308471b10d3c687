/* LayerNormalization, and RMSNormalization, which takes no mean out and has no shift. */
#include "graph/ops/ops_common.h"

/* The shape of X, the first axis that is normalized, and whether scale and shift fit. */
static tare_status layer_normalization_check(const tarei_graph *const graph,
                                             const tarei_node *const node, tarei_shape *const shape,
                                             int *const axis, tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(tarei_ops_axis(tarei_attr_int(node, "axis", -1), x->rank, axis, err));
  *shape = tarei_ops_shape(x);
  for (int i = 1; i < node->n_in && i < 3; i++) {
    const tarei_value *const parameter = tarei_ops_in(graph, node, i);
    if (parameter) {
      TAREI_TRY(tarei_ops_want_same_dtype(x, parameter, err));
      TAREI_TRY(tarei_ops_want_fits(graph, parameter, shape, err));
    }
  }
  return TARE_OK;
}

static tare_status infer_layer_normalization(tarei_graph *const graph, tarei_node *const node,
                                             tare_error *const err) {
  tarei_shape shape;
  int axis;
  TAREI_TRY(layer_normalization_check(graph, node, &shape, &axis, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_give_writable(graph, node, x->dtype, &shape, err));
  if (tarei_attr_find(node, TAREI_ATTR_OUTPUTS)) {
    return TARE_OK; /* the others hold bytes, not statistics */
  }
  tarei_shape statistics = shape;
  for (int i = axis; i < shape.rank; i++) {
    statistics.dims[i] = tarei_expr_const(graph->exprs, 1);
  }
  TAREI_TRY(tarei_ops_give(graph, node, 1, TARE_F32, &statistics, err));
  return tarei_ops_give(graph, node, 2, TARE_F32, &statistics, err);
}

static tare_status infer_rms_normalization(tarei_graph *const graph, tarei_node *const node,
                                           tare_error *const err) {
  tarei_shape shape;
  int axis;
  TAREI_TRY(layer_normalization_check(graph, node, &shape, &axis, err));
  return tarei_ops_give_writable(graph, node, tarei_ops_in(graph, node, 0)->dtype, &shape, err);
}

const tarei_op tarei_op_layer_normalization = {
    .name = "LayerNormalization",
    .domain = "",
    .growth = TAREI_GROWTH_BOUNDED,
    .min_in = 2,
    .max_in = 3,
    .min_out = 1,
    .max_out = 3,
    .writes_bytes = true,
    .writes_rows = true,
    .infer = infer_layer_normalization,
};

const tarei_op tarei_op_rms_normalization = {
    .name = "RMSNormalization",
    .domain = "",
    .growth = TAREI_GROWTH_BOUNDED,
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 3,
    .writes_bytes = true,
    .writes_rows = true,
    .infer = infer_rms_normalization,
};
