/* Unique, of all elements or of the slices along an axis. How many there are only a run knows. */
#include "graph/ops/ops_common.h"

static tare_status unique_infer(tarei_graph *const graph, tarei_node *const node,
                                tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  tarei_shape out = tarei_ops_shape(x);
  int axis = 0;
  if (tarei_attr_find(node, "axis")) {
    TAREI_TRY(tarei_ops_axis(tarei_attr_int(node, "axis", 0), x->rank, &axis, err));
  } else {
    out.dims[0] = tarei_ops_product(graph, &out, 0, out.rank);
    out.rank = 1;
  }
  const tarei_shape all = {1, {out.dims[axis]}}, unique = {1, {tarei_ops_measured(graph, node, 0)}};
  out.dims[axis] = unique.dims[0];
  TAREI_TRY(tarei_ops_give(graph, node, 0, x->dtype, &out, err));
  TAREI_TRY(tarei_ops_give(graph, node, 1, TARE_I64, &unique, err));
  TAREI_TRY(tarei_ops_give(graph, node, 2, TARE_I64, &all, err));
  return tarei_ops_give(graph, node, 3, TARE_I64, &unique, err);
}

const tarei_op tarei_op_unique = {
    .name = "Unique",
    .domain = "",
    .sign = TAREI_SIGN_FIRST,
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 4,
    .infer = unique_infer,
};
