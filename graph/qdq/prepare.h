/* The graph of a message, as placement and imports look at it. */
#ifndef TAREI_GRAPH_QDQ_PREPARE_H
#define TAREI_GRAPH_QDQ_PREPARE_H

#include <tare/table.h>

#include "graph/pass.h"

/* Folds constants, where the shapes are known: `waits` is what tarei_onnx_load said of them. */
tare_status tarei_qdq_prepare(tarei_graph *graph, const tare_error *waits,
                              const tarei_pass_options *passes, tare_error *err);

/* Writes the thresholds of a column (-1: the largest of all) onto the values, and smooths tensors
 * as the table says: `unused` and `changed` as tarei_graph_smooth has them; NULL for a table
 * without.
 */
tare_status tarei_qdq_annotate(tarei_graph *graph, const tare_table *table, int profile,
                               bool *unused, bool *changed, tare_error *err);

#endif
