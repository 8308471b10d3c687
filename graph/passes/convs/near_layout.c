#include "graph/passes/convs/near_layout.h"

#include "graph/passes/const_data.h"
#include "graph/passes/move_axes.h"

static bool near_has_layout(const tarei_graph *const graph, const tarei_node *const node) {
  const int rank = graph->values[node->in[0]].rank;
  return node->n_out == 1 && tarei_value_is_f32(graph, node->in[0]) && (rank == 3 || rank == 4) &&
         graph->values[node->out[0]].rank == rank;
}

bool tarei_conv_has_layout(const tarei_graph *const graph, const tarei_node *const node) {
  const int bias = tarei_node_in(node, 2);
  return node->op == &tarei_op_conv && near_has_layout(graph, node) &&
         (bias < 0 || tarei_value_is_const(graph, bias)) &&
         tarei_value_is_const(graph, node->in[1]) && tarei_value_is_f32(graph, node->in[1]) &&
         graph->values[node->in[1]].rank == graph->values[node->in[0]].rank;
}

const tarei_op *tarei_op_last_of(const tarei_graph *const graph, const tarei_node *const node) {
  const tarei_op *const last = node->op ? node->op->channels_last : NULL;
  return last && near_has_layout(graph, node) ? last : NULL;
}

static bool moves_channels(const tarei_graph *const graph, const tarei_node *const node) {
  tarei_perm perm;
  return node->op == &tarei_op_transpose && tarei_perm_of(graph, node, &perm) && perm.rank > 2 &&
         (perm.axis[perm.rank - 1] == 1 || perm.axis[1] == perm.rank - 1);
}

static bool wants_layout(const tarei_graph *const graph, const tarei_node *const node) {
  return node->op == &tarei_op_conv_last || tarei_conv_has_layout(graph, node) ||
         moves_channels(graph, node);
}

static bool takes_layout(tarei_graph *const graph, const tarei_node *const node) {
  return node->op->elementwise || node->op->joins || node->op == &tarei_op_split ||
         node->op == &tarei_op_global_average_pool || node->op == &tarei_op_global_max_pool ||
         tarei_op_last_of(graph, node) || tarei_axes_known(graph, node);
}

/* A value that can have the layout: constants have any. */
static bool near_counts(const tarei_graph *const graph, const int value) {
  return value >= 0 && !tarei_value_is_const(graph, value) && graph->values[value].rank > 2;
}

/* Marks what the node reads and writes; true where something was new. */
static bool near_mark(const tarei_graph *const graph, const tarei_node *const node, const int n_in,
                      bool *const near) {
  bool fresh = false;
  for (int i = 0; i < n_in + node->n_out; i++) {
    const int value = i < n_in ? node->in[i] : node->out[i - n_in];
    if (near_counts(graph, value) && !near[value]) {
      near[value] = fresh = true;
    }
  }
  return fresh;
}

static bool near_touches(const tarei_graph *const graph, const tarei_node *const node,
                         const bool *const near) {
  for (int i = 0; i < node->n_in + node->n_out; i++) {
    const int value = i < node->n_in ? node->in[i] : node->out[i - node->n_in];
    if (near_counts(graph, value) && near[value]) {
      return true;
    }
  }
  return false;
}

static bool near_visit(tarei_graph *const graph, const tarei_node *const node, bool *const near) {
  if (!node->op) {
    return false;
  }
  if (wants_layout(graph, node)) {
    return near_mark(graph, node, 1, near);
  }
  return takes_layout(graph, node) && near_touches(graph, node, near) &&
         near_mark(graph, node, node->n_in, near);
}

void tarei_find_near_layout(tarei_graph *const graph, bool *const near) {
  bool fresh = true;
  while (fresh) { /* along the graph and back: rarely more than twice */
    fresh = false;
    for (int i = 0; i < graph->n_nodes; i++) {
      fresh |= near_visit(graph, &graph->nodes[i], near);
    }
    for (int i = graph->n_nodes - 1; fresh && i >= 0; i--) {
      (void)near_visit(graph, &graph->nodes[i], near);
    }
  }
}
