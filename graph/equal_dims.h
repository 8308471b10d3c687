/*
 * Dims that operators require to be equal.
 *
 * A graph may have a list of them (`equal` in graph/ir/ir.h). Shape inference then notes each pair
 * of different expressions that an operator compares: those that must be equal in every run, and
 * those that may also be 1, because they are broadcast.
 */
#ifndef TAREI_GRAPH_EQUAL_DIMS_H
#define TAREI_GRAPH_EQUAL_DIMS_H

#include "graph/ir/ir.h"

typedef struct tarei_equal_pair {
  tarei_expr a, b;
  bool or_one;             /* one of them may be 1 instead, or the node need not run */
  const tarei_graph *body; /* that the node is in; NULL: the graph itself, which always runs */
} tarei_equal_pair;

typedef struct tarei_equal_dims {
  tarei_equal_pair *pairs;
  size_t n, cap;
  bool failed; /* memory ran out */
} tarei_equal_dims;

/* Notes a pair, unless the graph has no list. */
void tarei_equal_dims_note(const tarei_graph *graph, tarei_expr a, tarei_expr b, bool or_one);

#endif
