/* Elementwise operators of several inputs of one type, with broadcasting. */
#ifndef TAREI_GRAPH_OPS_ELEMENTWISE_OPS_ELEMENTWISE_H
#define TAREI_GRAPH_OPS_ELEMENTWISE_OPS_ELEMENTWISE_H

#include "graph/ops/ops_common.h"

/* Value of one element of the contents; TAREI_EXPR_NONE when not known. */
typedef tarei_expr (*tarei_combine_fn)(const tarei_graph *graph, tarei_expr a, tarei_expr b);

/* Gives output 0 the broadcast shape of all inputs and a dtype, and folds known contents from left
 * to right. The inputs have to be there (tarei_ops_need). */
tare_status tarei_ops_elementwise(tarei_graph *graph, const tarei_node *node, tare_dtype dtype,
                                  tarei_combine_fn combine, tare_error *err);

#endif
