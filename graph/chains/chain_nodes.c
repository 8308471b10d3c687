#include "graph/chains/chain_nodes.h"

#include <stdlib.h>

#include "base/mem.h"
#include "graph/chains/chain_slice.h"
#include "graph/passes/const_data.h"
#include "graph/passes/rewrite.h"
#include "graph/quantize/requested.h"

/* --- which nodes ------------------------------------------------------------------------------ */

/* Bodies run each time, whatever they read. */
static void find_varying(const tarei_chain_nodes *const f) {
  const tarei_graph *const graph = f->graph;
  for (int v = 0; v < graph->n_values; v++) {
    f->varies[v] = graph->is_body || graph->values[v].is_input;
  }
  for (int n = 0; n < graph->n_nodes; n++) {
    const tarei_node *const node = &graph->nodes[n];
    bool varies = tarei_node_body(node, 0) != NULL || node->op->draws;
    for (int i = 0; i < node->n_in; i++) {
      varies |= node->in[i] >= 0 && f->varies[node->in[i]] && !node->op->reads_dims;
    }
    for (int o = 0; o < node->n_out; o++) {
      if (node->out[o] >= 0) {
        f->varies[node->out[o]] |= varies;
      }
    }
  }
}

static void count_layers(const tarei_chain_nodes *const f) {
  int n_layers = 0;
  for (int n = 0; n < f->graph->n_nodes; n++) {
    const tarei_op *const op = f->graph->nodes[n].op;
    f->layers[n] = n_layers;
    n_layers += !op->chain_operands && !op->movement && !op->selects && !op->reads_dims &&
                op != &tarei_op_split;
  }
}

tare_status tarei_chain_nodes_init(tarei_chain_nodes *const f, tarei_graph *const graph,
                                   tare_error *const err) {
  *f = (tarei_chain_nodes){graph, tarei_calloc((size_t)graph->n_values, sizeof *f->varies),
                           tarei_calloc((size_t)graph->n_nodes, sizeof *f->layers)};
  if (!f->varies || !f->layers) {
    return tarei_fail_memory(err, "chains", (size_t)graph->n_values);
  }
  find_varying(f);
  count_layers(f);
  return TARE_OK;
}

void tarei_chain_nodes_fini(const tarei_chain_nodes *const f) {
  free(f->varies);
  free(f->layers);
}

int tarei_chain_links_of(const tarei_node *const node) {
  return node->op->chain_operands > 1 ? node->n_in - 1 : 1;
}

int tarei_chain_operands_of(const tarei_node *const node) {
  return node->op->chain_operands > 1 ? node->n_in : 1;
}

/* Inputs behind the operands of a function of one number are its parameters, and powers are
 * computed as they are by themselves: with one exponent for all. */
static bool has_constant_parameters(const tarei_graph *const graph, const tarei_node *const node) {
  float ignored;
  for (int i = node->op->chain_operands; node->op->chain_operands == 1 && i < node->n_in; i++) {
    if (node->in[i] >= 0 && !tarei_const_scalar(graph, node->in[i], &ignored)) {
      return false;
    }
  }
  return node->op != &tarei_op_pow || tarei_const_scalar(graph, node->in[1], &ignored);
}

bool tarei_chain_can_link(const tarei_chain_nodes *const f, const int index) {
  const tarei_graph *const graph = f->graph;
  const tarei_node *const node = &graph->nodes[index];
  if (!node->op || !node->op->chain_operands || node->n_in < node->op->chain_operands ||
      node->n_in > TAREI_CHAIN_INPUTS || !f->varies[node->out[0]]) {
    return false;
  }
  for (int i = 0; i < tarei_chain_operands_of(node); i++) {
    if (!tarei_value_is_f32(graph, node->in[i])) {
      return false;
    }
  }
  return has_constant_parameters(graph, node);
}

bool tarei_chain_can_hide(const tarei_chain_nodes *const f, const int index) {
  const tarei_node *const node = &f->graph->nodes[index];
  return tarei_chain_can_link(f, index) && node->n_out == 1 &&
         tarei_value_is_f32(f->graph, node->out[0]) &&
         tarei_output_asked(node) != TARE_PRECISION_INT8;
}

/* --- slices ----------------------------------------------------------------------------------- */

bool tarei_chain_replaces_slice(const tarei_chain_nodes *const f, const int value, int *const whole,
                                tarei_chain_slice *const slice) {
  const tarei_graph *const graph = f->graph;
  if (!tarei_chain_slice_of(graph, value, whole, slice)) {
    return false;
  }
  const tarei_node *const node = tarei_producer(graph, value);
  const int layers = f->layers[node - graph->nodes];
  for (int o = 0; o < node->n_out; o++) {
    const int out = node->out[o];
    tarei_chain_slice part;
    int of;
    if (out < 0 || graph->values[out].is_output ||
        tarei_graph_count_uses(graph, out) > TAREI_CHAIN_READERS ||
        !tarei_chain_slice_of(graph, out, &of, &part)) {
      return false;
    }
    for (tarei_use u = graph->values[out].first_use; u.node >= 0;
         u = tarei_graph_next_use(graph, u)) {
      const tarei_node *const reader = &graph->nodes[u.node];
      if (!tarei_chain_can_link(f, u.node) || u.input >= tarei_chain_operands_of(reader) ||
          f->layers[u.node] != layers) {
        return false;
      }
    }
  }
  return true;
}
