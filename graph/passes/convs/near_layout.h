/* Which values lie near operators that want channels last: a layout costs nothing only where the
 * Transposes around it meet others. */
#ifndef TAREI_GRAPH_PASSES_CONVS_NEAR_LAYOUT_H
#define TAREI_GRAPH_PASSES_CONVS_NEAR_LAYOUT_H

#include "graph/passes/layout.h"

/* Whether the node is a Conv that can run channels-last. */
bool tarei_conv_has_layout(const tarei_graph *graph, const tarei_node *node);
/* The operator that does the same channels-last as this node, or NULL. */
const tarei_op *tarei_op_last_of(const tarei_graph *graph, const tarei_node *node);

/* near[v] of each value: whether only nodes that a Transpose can pass, or that can run
 * channels-last, lie between it and a convolution, or a Transpose that takes channels to the end or
 * back. `near` has room for graph->n_values, all false. */
void tarei_find_near_layout(tarei_graph *graph, bool *near);

#endif
