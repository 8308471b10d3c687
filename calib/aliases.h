/* Tensors that hold the values of an observed one in another order or shape. */
#ifndef TAREI_CALIB_ALIASES_H
#define TAREI_CALIB_ALIASES_H

#include "graph/ir/ir.h"

/* For each value of the graph the observed value whose values it holds, by chains of movement
 * operators in either direction, itself where it is observed, or -1. `source` has room for n_values
 * entries and comes filled in for the observed values; others are -1. */
void tarei_find_aliases(const tarei_graph *graph, int *source);

#endif
