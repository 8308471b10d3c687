/* The smoothings of a table (graph/table/smoothing.h), folded into the constants of a graph. */
#ifndef TAREI_GRAPH_QUANTIZE_SMOOTH_H
#define TAREI_GRAPH_QUANTIZE_SMOOTH_H

#include "graph/quantize/smoothing_site.h"
#include "graph/table/table.h"

/* Replaces the constants of a site by ones with the factors. */
tare_status tarei_smooth_site(tarei_graph *graph, const tarei_smoothing_site *site,
                              const int8_t *exponents, tare_error *err);

/* Smooths an annotated graph: its constants change, the tensors get the scales of what they are
 * now, and values between a tensor and the constants get none. Layers that read such a tensor are
 * marked (TAREI_ATTR_SMOOTHED). `unused` [smoothings of the table] receives those that the graph
 * has no place for; their tensors keep their scales. If `changed` is not NULL, it receives per
 * value whether it is a constant that changed, and only float32 values of the model change. */
tare_status tarei_graph_smooth(tarei_graph *graph, const tare_table *table, bool *unused,
                               bool *changed, tare_error *err);

/* Whether the tensor that a layer reads is smoothed. */
bool tarei_node_is_smoothed(const tarei_node *node);

#endif
