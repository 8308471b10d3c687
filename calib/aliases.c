#include "calib/aliases.h"

#include "graph/op.h"

static void aliases_share(const tarei_graph *const graph, const tarei_node *const node,
                          int *const source) {
  if (!node->op || !node->op->movement || node->n_in < 1 || node->n_out < 1) {
    return;
  }
  const int in = node->in[0], out = node->out[0];
  if (in < 0 || out < 0 || graph->values[in].data || graph->values[out].data) {
    return;
  }
  if (source[out] < 0) {
    source[out] = source[in];
  } else if (source[in] < 0) {
    source[in] = source[out];
  }
}

void tarei_find_aliases(const tarei_graph *const graph, int *const source) {
  for (int i = 0; i < graph->n_nodes; i++) { /* nodes stand in topological order */
    aliases_share(graph, &graph->nodes[i], source);
  }
  for (int i = graph->n_nodes - 1; i >= 0; i--) {
    aliases_share(graph, &graph->nodes[i], source);
  }
}
