/* How the elements of the lists that a Loop gives out become one tensor. */
#ifndef TAREI_GRAPH_LOOP_LISTS_H
#define TAREI_GRAPH_LOOP_LISTS_H

#include "graph/ir/ir.h"

typedef struct tarei_loop_list {
  int64_t axis; /* along which the elements are joined; negative: from the end, not checked */
  bool stacks;  /* a new axis; otherwise elements may have any size along it */
} tarei_loop_list;

/* That of list number i of a Loop, behind its carried values: ONNX's lists are stacked along axis
 * 0. A JoiningLoop says so for each of its lists (TAREI_ATTR_LISTS). */
tarei_loop_list tarei_loop_list_of(const tarei_node *node, int i);

/* Dims of the joined tensor from those of an element of this rank: the axis within the rank of the
 * result, -1 where that is none, or the result has too many axes. */
int tarei_loop_list_axis(tarei_loop_list list, int rank);

#endif
