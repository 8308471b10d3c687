/* Dims that nodes measured when a graph was inferred before. Since a pass, a node may know what it
 * measured; then nothing says the number any more, and attributes that have it get what is known.
 */
#ifndef TAREI_GRAPH_MEASURED_DIMS_H
#define TAREI_GRAPH_MEASURED_DIMS_H

#include "graph/ir/ir.h"

typedef struct tarei_measured_dim {
  int node, value, axis, symbol;
} tarei_measured_dim;

typedef struct tarei_measured_list {
  tarei_measured_dim *at; /* to be freed */
  size_t n, capacity;
} tarei_measured_list;

/* Adds the dims that a node measures now. False if memory runs out. */
bool tarei_measured_note(const tarei_graph *graph, int node, tarei_measured_list *list);

/* Replaces the symbols of those that a node, inferred again, does not measure any more. */
void tarei_measured_settle(tarei_graph *graph, const tarei_measured_list *list, int node);

#endif
