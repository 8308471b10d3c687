/* The attribute "dims": output dims of a Reshape or Expand that has no shape input any more, as
 * expressions. */
#ifndef TAREI_GRAPH_PASSES_DIMS_ATTR_H
#define TAREI_GRAPH_PASSES_DIMS_ATTR_H

#include "graph/ir/ir.h"

/* Reads the attribute; `dims` has room for TARE_MAX_RANK. TARE_E_MODEL when it is missing, too
 * long, or uses a dim that no node inferred before measures. */
tare_status tarei_dims_from_attr(const tarei_graph *graph, const tarei_node *node, tarei_expr *dims,
                                 int *rank, tare_error *err);

/* Sets the attribute; false when out of memory. */
bool tarei_dims_set_attr(tarei_node *node, const tarei_expr *dims, int rank);

/* Sets it to the dims of `value`, all of them known. */
tare_status tarei_dims_to_attr(const tarei_graph *graph, tarei_node *node, int value,
                               tare_error *err);

/* Whether dims of `value` need a measured number that no dim of `source` has: a node that makes one
 * of the other keeps its shape input then, which brings what measures before it. */
bool tarei_dims_need_more(const tarei_graph *graph, int value, int source);

#endif
