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

/* The output shape, which was resolved before where there is no shape input (graph/pass.h). */
static tare_status read_shape(tarei_graph *const graph, const tarei_node *const node,
                              tarei_shape *const out, tare_error *const err) {
  const tarei_shape x = tarei_ops_shape(tarei_ops_in(graph, node, 0));
  if (!tarei_ops_in(graph, node, 1)) {
    TARE_TRY(tarei_ops_dims_attr(graph, node, out, err));
  } else {
    TARE_TRY(tarei_ops_shape_input(graph, node, 1, out, err));
  }
  return tarei_ops_broadcast(graph, &x, out, out, err);
}

static tare_status infer_expand(tarei_graph *const graph, tarei_node *const node,
                                tare_error *const err) {
  TARE_TRY(tarei_ops_need(graph, node, 1, err));
  tarei_shape shape;
  TARE_TRY(read_shape(graph, node, &shape, err));
  TARE_TRY(tarei_ops_give(graph, node, 0, tarei_ops_in(graph, node, 0)->dtype, &shape, err));
  return expand_contents(graph, node, err);
}

const tarei_op tarei_op_expand = {
    .name = "Expand",
    .domain = "",
    .min_in = 1,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .selects = true,
    .infer = infer_expand,
};
