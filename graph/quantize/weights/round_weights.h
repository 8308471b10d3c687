/*
 * Int8 weights as the calibration table says: multiples of the scales that it has for a layer
 * (TAREI_NUMBERS_CLIPPING), instead of the largest magnitude / 127, and rounded as it says
 * (graph/table/rounding.h), instead of to nearest.
 *
 * A layer of a quantized graph gets a constant of weights that are multiples of its scales, and the
 * scales as an attribute, so that its lowering stores just the integers that were decided.
 */
#ifndef TAREI_GRAPH_QUANTIZE_WEIGHTS_ROUND_WEIGHTS_H
#define TAREI_GRAPH_QUANTIZE_WEIGHTS_ROUND_WEIGHTS_H

#include "graph/quantize/layer_index.h"
#include "graph/quantize/weights/weight_choice.h"

/* Hash that a rounding has: that of the weights, and of the scales if they are clipped. */
uint64_t tarei_clipped_hash(uint64_t weights, const tarei_layer_numbers *clipping);

/* The choices of a table, and which of them layers have. */
typedef struct tarei_rounder {
  const tare_table *table;
  tarei_layer_index roundings, clippings, means;
} tarei_rounder;

/* to_nearest: the roundings of the table do not count. */
tare_status tarei_rounder_init(tarei_rounder *rounder, const tare_table *table, bool to_nearest,
                               tare_error *err);
void tarei_rounder_fini(tarei_rounder *rounder);

/* What belongs to these weights of a layer. */
tare_status tarei_rounder_find(const tarei_rounder *rounder, const tarei_graph *graph,
                               const tarei_node *node, const tarei_weight_view *view,
                               tarei_weight_choice *out, tare_error *err);

/* Rounds the weights of the int8 layers of a graph and its bodies. */
tare_status tarei_rounder_apply(tarei_rounder *rounder, tarei_graph *graph, tare_error *err);

/* How the int8 weights of a layer of a quantized graph are rounded. */
tare_rounding tarei_weights_rounding(const tarei_graph *graph, const tarei_node *node);

/* Whether they have scales of the table. */
bool tarei_weights_clipped(const tarei_node *node);

/* Why they are not rounded as the table says, although it says something. */
tarei_reason tarei_rounding_reason(const tarei_graph *graph, const tarei_node *node);

#endif
