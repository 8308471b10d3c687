/* What the operators that draw random numbers share. */
#ifndef TAREI_GRAPH_OPS_RANDOM_OPS_RANDOM_H
#define TAREI_GRAPH_OPS_RANDOM_OPS_RANDOM_H

#include "graph/ops/ops_common.h"

/* Tensors of the attribute "shape". */
tare_status tarei_ops_draw_shape(tarei_graph *graph, tarei_node *node, tare_error *err);
/* Tensors of the shape of the input, and of its type unless there is the attribute "dtype", which
 * there is afterwards: passes may give the input another. */
tare_status tarei_ops_draw_like(tarei_graph *graph, tarei_node *node, tare_error *err);

#endif
