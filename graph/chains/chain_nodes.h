/* What chains can have as links, and how they are found in a graph. */
#ifndef TAREI_GRAPH_CHAINS_CHAIN_NODES_H
#define TAREI_GRAPH_CHAINS_CHAIN_NODES_H

#include "graph/chains/chain.h"

enum {
  TAREI_CHAIN_READERS =
      64 /* of a value that chains take in; with more, work would grow as a square */
};

/* What does not change as nodes become chains in their places. */
typedef struct tarei_chain_nodes {
  tarei_graph *graph;
  bool *varies; /* per value: it does not follow from lengths alone */
  int *layers;  /* per node: how many nodes before it compute and are no links */
} tarei_chain_nodes;

/* The graph is compact. Ended also after a failure. */
tare_status tarei_chain_nodes_init(tarei_chain_nodes *nodes, tarei_graph *graph, tare_error *err);
void tarei_chain_nodes_fini(const tarei_chain_nodes *nodes);

/* Links that a node becomes. Min and Max of many operands are several. */
int tarei_chain_links_of(const tarei_node *node);
/* Its inputs, the first ones, that are operands. */
int tarei_chain_operands_of(const tarei_node *node);

/* Whether a node can be the last one of a chain. */
bool tarei_chain_can_link(const tarei_chain_nodes *nodes, int index);
/* Whether it is as good before others in a chain as by itself: it writes floats, and was not asked
 * for bytes that it cannot write, which its layer reports. */
bool tarei_chain_can_hide(const tarei_chain_nodes *nodes, int index);

/* Whether all that a Slice or Split makes is read by links before another layer runs: then chains
 * read part `slice` of `whole` instead of `value`. */
bool tarei_chain_replaces_slice(const tarei_chain_nodes *nodes, int value, int *whole,
                                tarei_chain_slice *slice);

#endif
