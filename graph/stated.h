/* How much a model itself says about scales, before anything of it is folded. */
#ifndef TAREI_GRAPH_STATED_H
#define TAREI_GRAPH_STATED_H

#include "graph/ir/ir.h"

/* Activations that a model quantizes by scales of its own, constant or computed from constants, and
 * those that it quantizes at run time; those of its bodies included. */
int tarei_graph_count_stated(const tarei_graph *graph);

#endif
