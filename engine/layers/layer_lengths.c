/*
 * Which layers decide the length of an output of the model.
 *
 * Some nodes measure a dim: frames of synthesized speech, tokens that fired, rows that a mask
 * selects. Where an output has such a dim, whatever the node reads decides it, back to the inputs
 * of the model. Values on this way are rounded to whole numbers somewhere, so that a small error is
 * lost or makes another length.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "engine/layers/layers.h"
#include "graph/op.h"

typedef struct length_walk {
  const tarei_graph *graph;
  bool *values; /* per value: it decides the length of an output */
  int *symbols; /* measured ones in dims of outputs */
  int n_symbols;
} length_walk;

static bool is_length_of_output(const tarei_graph *const g, const int symbol) {
  bool any = false;
  for (int o = 0; o < g->n_outputs && !any; o++) {
    const tarei_value *const v = &g->values[g->outputs[o]];
    for (int d = 0; d < v->rank; d++) {
      any |= tarei_expr_uses(g->exprs, v->dims[d], symbol);
    }
  }
  return any;
}

static void find_length_symbols(length_walk *const w) {
  const tarei_exprs *const exprs = w->graph->exprs;
  for (int s = 0; s < tarei_exprs_n_symbols(exprs); s++) {
    if (tarei_exprs_is_measured(exprs, s) && is_length_of_output(w->graph, s)) {
      w->symbols[w->n_symbols++] = s;
    }
  }
}

static bool measures_length(const length_walk *const w, const tarei_node *const node) {
  bool any = false;
  for (int i = 0; i < w->n_symbols && !any; i++) {
    any = tarei_exprs_measured_number(w->graph->exprs, w->symbols[i], node->number) >= 0;
  }
  return any;
}

/* Of a node that picks values of input 0, only the others say how many. */
static bool is_measured_by(const tarei_node *const node, const int i) {
  return i > 0 || node->n_in == 1 || !(node->op->selects || node->op->movement);
}

static void length_mark_inputs(const length_walk *const w, const tarei_node *const node,
                               const bool decides, const bool measures) {
  for (int i = 0; i < node->n_in; i++) {
    if (node->in[i] >= 0 && (decides || (measures && is_measured_by(node, i)))) {
      w->values[node->in[i]] = true;
    }
  }
}

static bool decides_length(const length_walk *const w, const tarei_node *const node) {
  bool any = false;
  for (int o = 0; o < node->n_out; o++) {
    any |= node->out[o] >= 0 && w->values[node->out[o]];
  }
  return any && !node->op->reads_dims;
}

/* From the outputs back. */
static void length_mark_values(const length_walk *const w) {
  const tarei_graph *const g = w->graph;
  for (int n = g->n_nodes - 1; n >= 0; n--) {
    const tarei_node *const node = &g->nodes[n];
    length_mark_inputs(w, node, decides_length(w, node), measures_length(w, node));
  }
}

tare_status tarei_plan_mark_lengths(tare_plan *const plan, tare_error *const err) {
  const tarei_graph *const g = plan->root.graph;
  const size_t n = (size_t)g->n_values, n_symbols = (size_t)tarei_exprs_n_symbols(g->exprs);
  length_walk walk = {.graph = g,
                      .values = tarei_calloc(n, sizeof *walk.values),
                      .symbols = tarei_calloc(n_symbols, sizeof *walk.symbols)};
  const bool ok = walk.values && walk.symbols;
  if (ok) {
    find_length_symbols(&walk);
    length_mark_values(&walk);
  }
  for (int i = 0; i < plan->n_layers && ok; i++) {
    tarei_layer *const layer = &plan->layers[i];
    layer->facts.decides_length =
        layer->part == &plan->root && decides_length(&walk, tarei_layer_step(layer)->node);
  }
  free(walk.values);
  free(walk.symbols);
  return ok ? TARE_OK : tarei_fail_memory(err, "values that decide lengths", n);
}
