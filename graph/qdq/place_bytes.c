/* Values between layers: an operator whose inputs are read as bytes and whose result a layer reads
 * as bytes is fused too, where the target knows it so. */
#include <string.h>

#include "graph/op.h"
#include "graph/qdq/place.h"

int tarei_placed_source(const tarei_placement *const p, const int out) {
  const tarei_graph *const g = p->graph;
  const int next = tarei_graph_sole_consumer(p->graph, out);
  const tarei_node *const node = next >= 0 ? &g->nodes[next] : NULL;
  if (node && (node->op == &tarei_op_relu || node->op == &tarei_op_clip)) {
    const tarei_quant *const after = &g->values[node->out[0]].quant;
    if (after->n_scales && after->zero_point == 0) {
      return node->out[0];
    }
  }
  return g->values[out].quant.n_scales ? out : -1;
}

static bool computes_bytes(const tarei_target *const target, const tarei_node *const node) {
  for (int i = 0; target->byte_ops && target->byte_ops[i]; i++) {
    if (strcmp(node->op->name, target->byte_ops[i]) == 0) {
      return true;
    }
  }
  return false;
}

static bool inputs_are_bytes(const tarei_placement *const p, const tarei_node *const node) {
  for (int i = 0; i < node->n_in; i++) {
    if (node->in[i] < 0 || !p->at_source[node->in[i]]) {
      return false;
    }
  }
  return true;
}

void tarei_place_bytes(tarei_placement *const p) {
  const tarei_graph *const g = p->graph;
  for (int n = 0; n < g->n_nodes; n++) {
    const tarei_node *const node = &g->nodes[n];
    if (computes_bytes(p->target, node) && inputs_are_bytes(p, node)) {
      const int source = tarei_placed_source(p, node->out[0]);
      if (source >= 0 && p->is_factor[source]) {
        p->at_source[source] = true;
      }
    }
  }
}
