/* Operators that name axes of input 0 and keep its rank: their axes can be renamed, so that they
 * work on another layout. */
#ifndef TAREI_GRAPH_PASSES_MOVE_AXES_H
#define TAREI_GRAPH_PASSES_MOVE_AXES_H

#include "graph/passes/layout.h"

/* The axes a node of such an operator names, or works on where it names none, not negative; `axes`
 * has room for TARE_MAX_RANK. Returns their number, or -1 when they are not known. */
int tarei_axes_of(tarei_graph *graph, const tarei_node *node, int64_t *axes);

/* Whether it is such an operator and names one at least. */
bool tarei_axes_known(tarei_graph *graph, const tarei_node *node);

/* Axis i of the input becomes axis perm[i]. Call only where the axes are known. */
tare_status tarei_axes_move(tarei_graph *graph, int node, const tarei_perm *perm, tare_error *err);

#endif
