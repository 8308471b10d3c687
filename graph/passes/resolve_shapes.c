/* Reshape and Expand whose output dims are known as expressions stop reading their shape input, so
 * that the arithmetic on shapes in front of them becomes dead (graph/pass.h, Known dims). */
#include "graph/passes/dims_attr.h"
#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"

static bool dims_known(const tarei_graph *const graph, const int value) {
  const tarei_value *const v = &graph->values[value];
  for (int i = 0; i < v->rank; i++) {
    if (v->dims[i] == TAREI_EXPR_NONE) {
      return false;
    }
  }
  return v->rank >= 0;
}

static tare_status resolve_shapes_run(tarei_graph *const graph,
                                      const tarei_pass_options *const options, bool *const changed,
                                      tare_error *const err) {
  (void)options;
  for (int i = 0; i < graph->n_nodes; i++) {
    tarei_node *const node = &graph->nodes[i];
    const bool reads_shape = node->op == &tarei_op_reshape || node->op == &tarei_op_expand;
    if (reads_shape && node->n_in == 2 && dims_known(graph, node->out[0]) &&
        !tarei_node_measures(graph, node) &&
        !tarei_dims_need_more(graph, node->out[0], node->in[0])) {
      TAREI_TRY(tarei_dims_to_attr(graph, node, node->out[0], err));
      tarei_attr_remove(node, "allowzero");
      tarei_graph_cut_inputs(graph, i, 1);
      *changed = true;
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_resolve_shapes = {
    .name = "resolve_shapes",
    .summary = "replaces shape inputs by the dims that inference found",
    .run = resolve_shapes_run,
};
