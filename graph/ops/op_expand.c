#include "graph/ops/ops_common.h"

static tare_status expand_contents(tarei_graph *const graph, const tarei_node *const node,
                                   tare_error *const err) {
  tarei_expr in[TAREI_MAX_CONTENTS], out[TAREI_MAX_CONTENTS];
  if (node->out[0] < 0 || tarei_ops_contents(graph, node->in[0], in) < 0) {
    return TARE_OK;
  }
  const tarei_value *const to = &graph->values[node->out[0]];
  const int n = tarei_ops_contents(graph, node->out[0], out);
  for (int i = 0; i < n; i++) {
    out[i] = in[tarei_ops_element(graph, tarei_ops_in(graph, node, 0), to, i)];
  }
  return tarei_ops_give_contents(graph, node, 0, out, n, err);
}

static tare_status infer_expand(tarei_graph *const graph, tarei_node *const node,
                                tare_error *const err) {
  TARE_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  tarei_shape shape = tarei_ops_shape(x), target;
  TARE_TRY(tarei_ops_shape_input(graph, node, 1, &target, err));
  TARE_TRY(tarei_ops_broadcast(graph, &shape, &target, &shape, err));
  TARE_TRY(tarei_ops_give(graph, node, 0, x->dtype, &shape, err));
  return expand_contents(graph, node, err);
}

const tarei_op tarei_op_expand = {
    .name = "Expand",
    .domain = "",
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_expand,
};
