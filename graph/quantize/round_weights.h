/*
 * Int8 weights rounded as the calibration table says (graph/table/rounding.h) instead of to
 * nearest.
 *
 * A layer of a quantized graph gets a constant of weights that are multiples of its scales, and the
 * scales as an attribute, so that its lowering stores just the integers that were decided.
 */
#ifndef TAREI_GRAPH_QUANTIZE_ROUND_WEIGHTS_H
#define TAREI_GRAPH_QUANTIZE_ROUND_WEIGHTS_H

#include "graph/quantize/weight_view.h"
#include "graph/table/rounding.h"

/* The roundings of a table, and which of them layers have. */
typedef struct tarei_rounder {
  const tare_table *table;
  tarei_names layers; /* number of the rounding by the names of the nodes of its layer */
  char **texts;       /* [n_roundings], what these names point to */
  bool *unused;       /* [n_roundings]: no layer was found, or it has other weights */
} tarei_rounder;

tare_status tarei_rounder_init(tarei_rounder *rounder, const tare_table *table, tare_error *err);
void tarei_rounder_fini(tarei_rounder *rounder);

/* The rounding of these weights of a layer; NULL: none. */
tare_status tarei_rounder_find(const tarei_rounder *rounder, const tarei_graph *graph,
                               const tarei_node *node, const tarei_weight_view *view,
                               const tarei_rounding **out, tare_error *err);

/* Rounds the weights of the int8 layers of a graph and its bodies. */
tare_status tarei_rounder_apply(tarei_rounder *rounder, tarei_graph *graph, tare_error *err);

/* How the int8 weights of a layer of a quantized graph are rounded. */
tare_rounding tarei_weights_rounding(const tarei_graph *graph, const tarei_node *node);

/* Why they are not rounded as the table says, although it says something. */
tarei_reason tarei_rounding_reason(const tarei_graph *graph, const tarei_node *node);

#endif
