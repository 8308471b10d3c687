/*
 * Chains: elementwise operators on floats that are one node, "Chain". The engine computes them
 * block by block (engine/lower/elementwise/lower_chain.c), so that what is between them never
 * leaves the cache. Each link is an operator, whose operands are inputs of the node or what links
 * before it make; what the last one makes is the output. All links make values of the shape of the
 * output.
 */
#ifndef TAREI_GRAPH_CHAINS_CHAIN_H
#define TAREI_GRAPH_CHAINS_CHAIN_H

#include "graph/ir/ir.h"

enum {
  TAREI_CHAIN_LINKS = 32,
  TAREI_CHAIN_INPUTS = 16,
  TAREI_CHAIN_OPERANDS = 2, /* of a link, at most (chain_operands in graph/op.h) */
};

typedef struct tarei_chain_link {
  const tarei_op *op;
  int operands[TAREI_CHAIN_OPERANDS]; /* an input of the node; behind those, links; -1: none */
  float a, b;                         /* parameters of a function of one number */
  bool by_tanh;                       /* of Gelu */
} tarei_chain_link;

/* Which part of an input is read: `length` elements from `start` on along an axis, which has
 * constant length; axis -1: all of it. */
typedef struct tarei_chain_slice {
  int axis;
  int64_t start, length;
} tarei_chain_slice;

typedef struct tarei_chain {
  int n_inputs, n_links;
  tarei_chain_link links[TAREI_CHAIN_LINKS];
  tarei_chain_slice slices[TAREI_CHAIN_INPUTS];
} tarei_chain;

/* Reads the attributes of a node, of which nothing is trusted. TARE_E_MODEL. */
tare_status tarei_chain_read(const tarei_node *node, tarei_chain *out, tare_error *err);

/* Writes them; false if memory runs out. */
bool tarei_chain_write(tarei_node *node, const tarei_chain *chain);

#endif
