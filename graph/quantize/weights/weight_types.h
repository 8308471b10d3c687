/*
 * Requests for the type in which layers store constant weights (tare_build_options
 * .layer_weight_types). A float layer computes with floats of the values that are stored.
 */
#ifndef TAREI_GRAPH_QUANTIZE_WEIGHTS_WEIGHT_TYPES_H
#define TAREI_GRAPH_QUANTIZE_WEIGHTS_WEIGHT_TYPES_H

#include "graph/quantize/requested.h"

/* Whether it is a layer, float or int8, with constant weights. */
bool tarei_has_weights(const tarei_graph *graph, const tarei_node *node);

/* Notes the requests on the nodes that they name, before the graph is quantized. */
tare_status tarei_weight_types_mark(tarei_graph *graph, tarei_requested *requested,
                                    tare_error *err);

/* Sets the types of a quantized graph, and refuses those that cannot be had. */
tare_status tarei_weight_types_set(tarei_graph *graph, tarei_requested *requested, tare_error *err);

/* The type in which a layer of a quantized graph with weights of float32 packs them. */
tare_dtype tarei_weights_dtype(const tarei_node *node);

/* What was asked for the weights of a node; ANY: nothing. */
tare_precision tarei_weights_asked(const tarei_node *node);

/* Why its weights have another type. */
tarei_reason tarei_weights_reason(const tarei_graph *graph, const tarei_node *node);

#endif
