/* Biases of the layers of a model that make up for the rounding of their weights. */
#ifndef TAREI_GRAPH_QDQ_CORRECT_BIASES_H
#define TAREI_GRAPH_QDQ_CORRECT_BIASES_H

#include "graph/qdq/place.h"

/* Changes the constants of the placement's graph that are biases of the layers with means of their
 * inputs, and marks them in `changed` [values]. A bias that is no constant of the layer alone
 * stays. */
tare_status tarei_correct_biases(tarei_placement *place, tarei_graph *graph, bool *changed,
                                 tare_error *err);

#endif
