#include "graph/chains/chain_group.h"

#include "graph/op.h"
#include "graph/passes/rewrite.h"

static bool chain_group_has(const tarei_chain_group *const group, const int node) {
  for (int i = 0; i < group->n; i++) {
    if (group->nodes[i] == node) {
      return true;
    }
  }
  return false;
}

static bool is_read_only_inside(const tarei_graph *const graph,
                                const tarei_chain_group *const group, const int value) {
  int inside = 0;
  if (tarei_graph_count_uses(graph, value) > TAREI_CHAIN_READERS) {
    return false;
  }
  for (tarei_use u = graph->values[value].first_use; u.node >= 0;
       u = tarei_graph_next_use(graph, u)) {
    inside += chain_group_has(group, u.node);
  }
  return inside == tarei_graph_count_uses(graph, value);
}

/* Operands that come from outside, each counted once. */
static int group_count_inputs(const tarei_graph *const graph,
                              const tarei_chain_group *const group) {
  int seen[TAREI_CHAIN_LINKS * TAREI_CHAIN_OPERANDS], n = 0;
  for (int i = 0; i < group->n; i++) {
    const tarei_node *const node = &graph->nodes[group->nodes[i]];
    for (int k = 0; k < tarei_chain_operands_of(node); k++) {
      bool known = chain_group_has(group, graph->values[node->in[k]].producer);
      for (int s = 0; s < n; s++) {
        known |= seen[s] == node->in[k];
      }
      if (!known) {
        seen[n++] = node->in[k];
      }
    }
  }
  return n;
}

static bool group_fits(const tarei_graph *const graph, const tarei_chain_group *const group) {
  return group->n_links <= TAREI_CHAIN_LINKS &&
         group_count_inputs(graph, group) <= TAREI_CHAIN_INPUTS;
}

/* Whether a chain that reads `value` at its root keeps it for longer than others do. */
static bool group_prolongs(const tarei_chain_nodes *const f, const tarei_chain_group *const group,
                           const int value) {
  const tarei_graph *const graph = f->graph;
  const tarei_value *const v = &graph->values[value];
  if (v->data || v->is_output || v->n_uses > TAREI_CHAIN_READERS ||
      !tarei_values_same_shape(graph, value, graph->nodes[group->root].out[0])) {
    return false;
  }
  for (tarei_use u = v->first_use; u.node >= 0; u = tarei_graph_next_use(graph, u)) {
    if (u.node >= group->root || chain_group_has(group, u.node)) {
      return false;
    }
  }
  return true;
}

/* Whether more tensors are kept while layers run between a node and the root than without it in the
 * chain: its operands instead of what it makes. */
static bool group_takes_room(const tarei_chain_nodes *const f, const tarei_chain_group *const group,
                             const int index) {
  const tarei_node *const node = &f->graph->nodes[index];
  int kept = 0;
  if (f->layers[index] == f->layers[group->root]) {
    return false;
  }
  for (int k = 0; k < tarei_chain_operands_of(node); k++) {
    bool again = false;
    for (int i = 0; i < k; i++) {
      again |= node->in[i] == node->in[k];
    }
    kept += !again && group_prolongs(f, group, node->in[k]);
  }
  return kept > 1;
}

/* Takes the node that makes `value` in, if nobody else reads that. */
static bool group_take(const tarei_chain_nodes *const f, tarei_chain_group *const group,
                       const int value) {
  const tarei_graph *const graph = f->graph;
  const int node = graph->values[value].producer;
  if (node < 0 || group->n == TAREI_CHAIN_LINKS || chain_group_has(group, node) ||
      !tarei_chain_can_hide(f, node) ||
      !tarei_values_same_shape(graph, value, graph->nodes[group->root].out[0]) ||
      !is_read_only_inside(graph, group, value) || group_takes_room(f, group, node)) {
    return false;
  }
  const int links = tarei_chain_links_of(&graph->nodes[node]);
  if (group->n_links + links > TAREI_CHAIN_LINKS) {
    return false;
  }
  group->nodes[group->n++] = node;
  group->n_links += links;
  if (group_fits(graph, group)) {
    return true;
  }
  group->n--;
  group->n_links -= links;
  return false;
}

/* Until nothing more can be taken in: a value may be read by two nodes of which the second is found
 * later. */
void tarei_chain_group_grow(const tarei_chain_nodes *const f, tarei_chain_group *const group) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < group->n; i++) {
      const tarei_node *const node = &f->graph->nodes[group->nodes[i]];
      for (int k = 0; k < tarei_chain_operands_of(node); k++) {
        changed |= group_take(f, group, node->in[k]);
      }
    }
  }
}
