/* Nodes that become one chain. */
#ifndef TAREI_GRAPH_CHAINS_CHAIN_GROUP_H
#define TAREI_GRAPH_CHAINS_CHAIN_GROUP_H

#include "graph/chains/chain_nodes.h"

/* The first node is the root, which makes the output. */
typedef struct tarei_chain_group {
  int root, n, n_links;
  int nodes[TAREI_CHAIN_LINKS];
} tarei_chain_group;

/* Takes in what makes operands of the group, as long as nobody else reads these, they have the
 * shape of the output, and the chain would not keep more tensors than they are while layers run. */
void tarei_chain_group_grow(const tarei_chain_nodes *nodes, tarei_chain_group *group);

/* Makes one node of them in the place of the root (graph/chains/chain_draft.c). */
tare_status tarei_chain_group_replace(const tarei_chain_nodes *nodes, tarei_chain_group *group,
                                      tare_error *err);

#endif
