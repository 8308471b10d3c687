#include "graph/passes/move_axes.h"

/* The axes, not negative; their number, or -1. */
static int move_axes_read(tarei_graph *const graph, const tarei_node *const node,
                          const tarei_named_axes *const r, int64_t *const axes) {
  const int rank = graph->values[node->in[0]].rank;
  const tarei_attr *const attr = tarei_attr_find(node, "axes");
  const bool given = tarei_node_in(node, r->input) >= 0;
  int n = given || attr ? 0 : r->count ? r->count(graph, node) : rank;
  for (int i = 0; i < n && i < rank; i++) {
    axes[i] = i;
  }
  if (given && !tarei_value_ints(graph, node->in[r->input], axes, TARE_MAX_RANK, &n)) {
    return -1;
  }
  if (!given && attr) {
    n = attr->kind == TAREI_ATTR_INTS && attr->n <= TARE_MAX_RANK ? attr->n : -1;
    for (int i = 0; i < n; i++) {
      axes[i] = attr->ints[i];
    }
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
         move_axes_read(graph, node, r, axes) > 0;
}

tare_status tarei_axes_move(tarei_graph *const graph, const int node, const tarei_perm *const perm,
                            tare_error *const err) {
  tarei_node *const n = &graph->nodes[node];
  const tarei_named_axes *const r = n->op->axes;
  int64_t axes[TARE_MAX_RANK];
  const int n_axes = move_axes_read(graph, n, r, axes);
  for (int i = 0; i < n_axes; i++) {
    axes[i] = perm->axis[axes[i]];
  }
  if (r->input < n->n_in) {
    tarei_graph_set_in(graph, node, r->input, -1); /* the attribute says it now */
  }
  return tarei_attr_set_ints(n, "axes", axes, n_axes) ? TARE_OK
                                                      : tarei_fail_memory(err, "axes", sizeof axes);
}
