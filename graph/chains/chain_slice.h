/* Parts of tensors that chains read where they are, instead of a copy that a Slice or Split makes.
 */
#ifndef TAREI_GRAPH_CHAINS_CHAIN_SLICE_H
#define TAREI_GRAPH_CHAINS_CHAIN_SLICE_H

#include "graph/chains/chain.h"

/* The tensor that `value` is a part of, and which part; false if it is none, or if its rows are too
 * short to be read one by one. */
bool tarei_chain_slice_of(const tarei_graph *graph, int value, int *whole, tarei_chain_slice *out);

#endif
