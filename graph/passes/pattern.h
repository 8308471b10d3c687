/* A set of nodes that is to become one node. */
#ifndef TAREI_GRAPH_PASSES_PATTERN_H
#define TAREI_GRAPH_PASSES_PATTERN_H

#include "graph/passes/rewrite.h"

enum { TAREI_PATTERN_MAX = 24 };

typedef struct tarei_pattern {
  int n;
  int nodes[TAREI_PATTERN_MAX];
} tarei_pattern;

/* Adds the node that makes a value; once is enough. False when there is no such node, when it has
 * more outputs than one, or when the set is full. */
bool tarei_pattern_add(const tarei_graph *graph, tarei_pattern *pattern, int value);

/* Whether nobody outside sees what the nodes make, but for the output `root`. */
bool tarei_pattern_is_closed(const tarei_graph *graph, const tarei_pattern *pattern, int root);

/* Replaces the nodes by one that makes `root`, named after them in the order they stand. */
tare_status tarei_pattern_replace(tarei_graph *graph, tarei_pattern *pattern, int root,
                                  const tarei_op *op, int opset, const int *in, int n_in, int *node,
                                  tare_error *err);

#endif
