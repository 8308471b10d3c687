#include "graph/ops/ops_common.h"

static tare_status infer_flatten(tarei_graph *const graph, tarei_node *const node,
                                 tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const int64_t axis = tarei_attr_int(node, "axis", 1);
  int split = x->rank; /* an axis equal to the rank puts everything into the rows */
  if (axis != x->rank) {
    TAREI_TRY(tarei_ops_axis(axis, x->rank, &split, err));
  }
  const tarei_shape shape = tarei_ops_shape(x);
  const tarei_shape out = {2,
                           {tarei_ops_product(graph, &shape, 0, split),
                            tarei_ops_product(graph, &shape, split, shape.rank)}};
  TAREI_TRY(tarei_ops_give(graph, node, 0, x->dtype, &out, err));
  return tarei_ops_pass_contents(graph, node, err);
}

const tarei_op tarei_op_flatten = {
    .name = "Flatten",
    .domain = "",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .movement = true,
    .reshapes = true,
    .infer = infer_flatten,
};
