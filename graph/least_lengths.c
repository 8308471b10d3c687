/* A model in which windows slide over an input runs only where one fits. That is known of every
 * run, so sizes that are computed beside (the length of a mask, a position) are simplified by it:
 * only then are they seen to be the same as the sizes of what the windows make. */
#include <stdlib.h>

#include "base/mem.h"
#include "graph/op.h"
#include "graph/pass.h"

/* Marks the nodes that outputs need, without those in bodies. */
static bool *find_required(const tarei_graph *const graph) {
  bool *const needed = tarei_calloc((size_t)graph->n_nodes + 1, sizeof *needed);
  int *const open = tarei_calloc((size_t)graph->n_nodes + 1, sizeof *open);
  int n = 0;
  for (int o = 0; needed && open && o < graph->n_outputs; o++) {
    const int producer = graph->values[graph->outputs[o]].producer;
    if (producer >= 0 && !needed[producer]) {
      needed[producer] = true;
      open[n++] = producer;
    }
  }
  while (n > 0) {
    const tarei_node *const node = &graph->nodes[open[--n]];
    for (int i = 0; i < node->n_in; i++) {
      const int producer = node->in[i] < 0 ? -1 : graph->values[node->in[i]].producer;
      if (producer >= 0 && !needed[producer]) {
        needed[producer] = true;
        open[n++] = producer;
      }
    }
  }
  free(open);
  return needed;
}

/* Raises the least lengths to what the windows of a node need; whether any is new. */
static bool raise_for(const tarei_graph *const graph, const tarei_node *const node) {
  const tarei_value *const out = &graph->values[node->out[0]];
  bool raised = false;
  for (int d = 0; d < out->rank; d++) {
    int symbol;
    int64_t least;
    if (tarei_expr_least(graph->exprs, out->dims[d], &symbol, &least)) {
      raised |= tarei_exprs_raise_least(graph->exprs, symbol, least);
    }
  }
  return raised;
}

tare_status tarei_graph_infer_settled(tarei_graph *const graph, tare_error *const err) {
  TAREI_TRY(tarei_graph_infer(graph, err));
  if (!tarei_exprs_doubts(graph->exprs)) {
    return TARE_OK;
  }
  bool *const needed = find_required(graph);
  bool raised = false;
  for (int n = 0; needed && n < graph->n_nodes; n++) {
    if (needed[n] && graph->nodes[n].op->slides) {
      raised |= raise_for(graph, &graph->nodes[n]);
    }
  }
  free(needed);
  return raised ? tarei_graph_infer(graph, err) : TARE_OK;
}
