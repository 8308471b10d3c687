/* Lookup: an activation from bytes to bytes, each with the scale of its value. Further inputs hold
 * parameters of the function, as they do in the operator that it names. */
#include "graph/ops/ops_common.h"

static tare_status infer_lookup(tarei_graph *const graph, tarei_node *const node,
                                tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_dtype(x, TARE_U8, err));
  const tarei_shape shape = tarei_ops_shape(x);
  return tarei_ops_give(graph, node, 0, TARE_U8, &shape, err);
}

const tarei_op tarei_op_lookup = {
    .name = "Lookup",
    .domain = "tare",
    .min_in = 1,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_lookup,
};
