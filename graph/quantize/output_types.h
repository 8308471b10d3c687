/*
 * Requests for the type of what layers write (tare_build_options.layer_output_types).
 *
 * A layer asked for fp32 does what a model with Q/DQ says literally: its result is rounded once, to
 * float, and the Quantize behind it is a step of its own.
 */
#ifndef TAREI_GRAPH_QUANTIZE_OUTPUT_TYPES_H
#define TAREI_GRAPH_QUANTIZE_OUTPUT_TYPES_H

#include "graph/quantize/requested.h"

/* Notes the requests on the nodes that they name, before the graph is quantized. */
tare_status tarei_output_types_mark(tarei_graph *graph, tarei_requested *requested,
                                    tare_error *err);

/* Why a node of a quantized graph does not write what was asked for. */
tarei_reason tarei_output_reason(const tarei_graph *graph, const tarei_node *node);

/* "fp32", "int8", "fp32 + int8", or another element type; static. */
const char *tarei_output_type_name(const tarei_graph *graph, const tarei_node *node);

/* Refuses what nodes of a quantized graph do not write as it was asked for. */
void tarei_output_types_check(const tarei_graph *graph, tarei_requested *requested);

#endif
