#include "graph/ops/ops_common.h"

static tare_status infer_identity(tarei_graph *const graph, tarei_node *const node,
                                  tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const tarei_shape shape = tarei_ops_shape(x);
  TAREI_TRY(tarei_ops_give(graph, node, 0, x->dtype, &shape, err));
  return tarei_ops_pass_contents(graph, node, err);
}

const tarei_op tarei_op_identity = {
    .name = "Identity",
    .domain = "",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .movement = true,
    .infer = infer_identity,
};
