/* Permutations of axes: axis i of a transposed tensor is axis perm[i] of the original. */
#ifndef TAREI_GRAPH_PASSES_LAYOUT_H
#define TAREI_GRAPH_PASSES_LAYOUT_H

#include "graph/passes/rewrite.h"

typedef struct tarei_perm {
  int rank;
  int64_t axis[TARE_MAX_RANK];
} tarei_perm;

/* Permutation of a Transpose node; false when its attribute is none. */
bool tarei_perm_of(const tarei_graph *graph, const tarei_node *transpose, tarei_perm *out);
bool tarei_perm_equal(const tarei_perm *a, const tarei_perm *b);
bool tarei_perm_is_identity(const tarei_perm *perm);
tarei_perm tarei_perm_inverse(const tarei_perm *perm);
/* First `first`, then `second`. */
tarei_perm tarei_perm_compose(const tarei_perm *first, const tarei_perm *second);
/* N C X.. -> N X.. C. */
tarei_perm tarei_perm_to_last(int rank);

/* Adds a Transpose from one value to another, which gets the permuted dims. */
tare_status tarei_add_transpose(tarei_graph *graph, int from, int to, const tarei_perm *perm,
                                tare_error *err);

/* Lets `node` make its output 0 in another layout: the node's output becomes a new value, of which
 * the old one is the transposition by `perm`. The new value takes the name over, because it is
 * what exists at run time; the old one becomes "<name>__ncx". An output of the graph keeps its
 * name and layout; the new value is "<name>__nxc" then. */
tare_status tarei_output_before(tarei_graph *graph, int node, const tarei_perm *perm,
                                tare_error *err);

#endif
