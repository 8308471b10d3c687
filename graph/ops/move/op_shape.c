/* Shape, and Size, its product. */
#include "graph/ops/ops_common.h"

static int clamp_axis(int64_t axis, const int rank) {
  axis = axis < -rank ? -rank : axis;
  axis = axis < 0 ? axis + rank : axis;
  return (int)(axis > rank ? rank : axis);
}

static tare_status infer_shape(tarei_graph *const graph, tarei_node *const node,
                               tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const int start = clamp_axis(tarei_attr_int(node, "start", 0), x->rank);
  const int end = clamp_axis(tarei_attr_int(node, "end", x->rank), x->rank);
  const int n = end > start ? end - start : 0;
  const tarei_shape out = {1, {tarei_expr_const(graph->exprs, n)}};
  TAREI_TRY(tarei_ops_give(graph, node, 0, TARE_I64, &out, err));
  return tarei_ops_give_contents(graph, node, 0, x->dims + start, n, err);
}

static tare_status infer_size(tarei_graph *const graph, tarei_node *const node,
                              tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_shape shape = tarei_ops_shape(tarei_ops_in(graph, node, 0));
  const tarei_shape scalar = {0};
  TAREI_TRY(tarei_ops_give(graph, node, 0, TARE_I64, &scalar, err));
  const tarei_expr count = tarei_ops_product(graph, &shape, 0, shape.rank);
  return tarei_ops_give_contents(graph, node, 0, &count, 1, err);
}

const tarei_op tarei_op_shape = {
    .name = "Shape",
    .domain = "",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .reads_dims = true,
    .infer = infer_shape,
};

const tarei_op tarei_op_size = {
    .name = "Size",
    .domain = "",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .reads_dims = true,
    .infer = infer_size,
};
