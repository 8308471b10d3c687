/* A Transpose that moves only axes of size 1 is a Reshape, and of two nodes in a row that change
 * nothing but the shape the first one is not needed. Both move no bytes after this. */
#include "graph/passes/dims_attr.h"
#include "graph/passes/layout.h"
#include "graph/passes/passes.h"

/* Whether the axes with more than one element stay in their order. */
static bool simplify_reshapes_keeps_order(const tarei_graph *const graph,
                                          const tarei_node *const transpose) {
  tarei_perm perm;
  int64_t last = -1;
  if (!tarei_perm_of(graph, transpose, &perm)) {
    return false;
  }
  for (int i = 0; i < perm.rank; i++) {
    if (tarei_axis_is_one(graph, transpose->in[0], (int)perm.axis[i])) {
      continue;
    }
    if (perm.axis[i] < last) {
      return false;
    }
    last = perm.axis[i];
  }
  return true;
}

/* Makes the node a Reshape of `from` to the dims of its output. */
static tare_status become_reshape(tarei_graph *const graph, const int index, const int from,
                                  tare_error *const err) {
  tarei_node *const node = &graph->nodes[index];
  while (node->n_attrs > 0) {
    tarei_attr_remove(node, node->attrs[0].name);
  }
  node->op = &tarei_op_reshape;
  node->opset = 14;
  tarei_graph_set_in(graph, index, 0, from);
  tarei_graph_cut_inputs(graph, index, 1);
  return tarei_dims_to_attr(graph, node, node->out[0], err);
}

/* The value between two reshapes goes; where it had a name of the model and the one behind has
 * none, the names of value and node go on to that one. */
static tare_status simplify_reshapes_merge(tarei_graph *const graph, const int index,
                                           tarei_node *const first, tare_error *const err) {
  tarei_node *const second = &graph->nodes[index];
  const int between = second->in[0];
  TAREI_TRY(become_reshape(graph, index, first->in[0], err));
  if (tarei_graph_count_uses(graph, between) == 0 && graph->values[between].observable &&
      !graph->values[second->out[0]].observable) {
    char *const name = second->name;
    second->name = first->name;
    first->name = name;
    tarei_hand_over_name(graph, between, second->out[0]);
  }
  return TARE_OK;
}

static tare_status simplify_reshapes_run(tarei_graph *const graph,
                                         const tarei_pass_options *const options,
                                         bool *const changed, tare_error *const err) {
  (void)options;
  for (int i = 0; i < graph->n_nodes; i++) {
    tarei_node *const node = &graph->nodes[i];
    if (node->op == &tarei_op_transpose && simplify_reshapes_keeps_order(graph, node)) {
      TAREI_TRY(become_reshape(graph, i, node->in[0], err));
      *changed = true;
    }
    tarei_node *const first =
        node->op && tarei_is_reshape(graph, node) ? tarei_producer(graph, node->in[0]) : NULL;
    if (first && tarei_is_reshape(graph, first) &&
        !tarei_dims_need_more(graph, node->out[0], first->in[0])) {
      TAREI_TRY(simplify_reshapes_merge(graph, i, first, err));
      *changed = true;
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_simplify_reshapes = {
    .name = "simplify_reshapes",
    .summary = "merges reshapes, and turns Transposes of size-1 axes into them",
    .run = simplify_reshapes_run,
};
