/*
 * Axes of inputs that are one length.
 *
 * Exporters give each axis a name of its own, or none, where the operators of the model need them
 * equal: the caches of a decoder are concatenated to the same keys, so that all of them have one
 * length. Such axes get one symbol, so that profiles name one length in place of many.
 */
#ifndef TAREI_GRAPH_JOIN_AXES_H
#define TAREI_GRAPH_JOIN_AXES_H

#include "graph/ir/ir.h"

/*
 * Gives the axes of the inputs of a graph that was just read one symbol where they are one length,
 * and the sum where they are that of others; the names that they had are kept as `declared`. The
 * graph must be inferred afterwards. TARE_E_MEMORY.
 *
 * Axes that an operator requires to be equal are joined whatever their names are. Axes that are
 * only broadcast could also be 1: they are joined where one of them has no name, or one that only
 * it has and that is made of the name of its input, or is one of more than 16. Other axes to which
 * a model gives names that differ stay apart.
 */
tare_status tarei_graph_join_axes(tarei_graph *graph, tare_error *err);

#endif
