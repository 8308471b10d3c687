/* Tensors that hold the values of an observed one in another order or shape. */
#ifndef TAREI_CALIB_ALIASES_H
#define TAREI_CALIB_ALIASES_H

#include "graph/ir/ir.h"

/* Finds, for each value of the graph, the observed value with the same elements, through chains of
 * movement operators in either direction: itself if it is observed, or -1. `source` has n_values
 * entries; initially those of observed values are set, and the others are -1. */
void tarei_find_aliases(const tarei_graph *graph, int *source);

#endif
