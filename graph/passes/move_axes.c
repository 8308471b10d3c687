#include "graph/passes/move_axes.h"

int tarei_axes_of(tarei_graph *const graph, const tarei_node *const node, int64_t *const axes) {
  const tarei_named_axes *const r = node->op->axes;
  const int rank = graph->values[node->in[0]].rank;
  const bool named = tarei_node_in(node, r->input) >= 0 || tarei_attr_find(node, "axes");
  int n = named ? 0 : r->count ? r->count(graph, node) : rank;
  for (int i = 0; i < n && i < rank; i++) {
    axes[i] = i;
  }
  if (named && !tarei_node_ints(graph, node, r->input, "axes", axes, TARE_MAX_RANK, &n)) {
    return -1;
  }
  for (int i = 0; i < n; i++) {
    axes[i] += axes[i] < 0 ? rank : 0;
    if (n > rank || axes[i] < 0 || axes[i] >= rank) {
      return -1;
    }
  }
  return n;
}

bool tarei_axes_known(tarei_graph *const graph, const tarei_node *const node) {
  const tarei_named_axes *const r = node->op->axes;
  int64_t axes[TARE_MAX_RANK];
  return r && (!r->reduces || tarei_attr_int(node, "keepdims", 1) != 0) &&
         tarei_axes_of(graph, node, axes) > 0;
}

tare_status tarei_axes_move(tarei_graph *const graph, const int node, const tarei_perm *const perm,
                            tare_error *const err) {
  tarei_node *const n = &graph->nodes[node];
  const tarei_named_axes *const r = n->op->axes;
  int64_t axes[TARE_MAX_RANK];
  const int n_axes = tarei_axes_of(graph, n, axes);
  for (int i = 0; i < n_axes; i++) {
    axes[i] = perm->axis[axes[i]];
  }
  if (r->input < n->n_in) {
    tarei_graph_set_in(graph, node, r->input, -1); /* the attribute says it now */
  }
  return tarei_attr_set_ints(n, "axes", axes, n_axes) ? TARE_OK
                                                      : tarei_fail_memory(err, "axes", sizeof axes);
}
