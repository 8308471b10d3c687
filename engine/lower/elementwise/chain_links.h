/* The links of a chain (graph/chains/chain.h), ready to be computed for a block of elements. */
#ifndef TAREI_ENGINE_LOWER_ELEMENTWISE_CHAIN_LINKS_H
#define TAREI_ENGINE_LOWER_ELEMENTWISE_CHAIN_LINKS_H

#include "engine/lower/elementwise/block_operand.h"
#include "engine/lower/elementwise/pointwise.h"

/* What a link makes is in a row of its own until it was read for the last time. */
typedef struct tarei_ready_link {
  bool combines; /* two operands, otherwise `function` of one */
  tarei_binary binary;
  tarei_pointwise function;
  int operands[TAREI_CHAIN_OPERANDS]; /* an input; behind those, rows */
  int row;                            /* that it writes */
} tarei_ready_link;

typedef struct tarei_chain_links {
  int n_inputs, n_links, n_rows;
  tarei_ready_link links[TAREI_CHAIN_LINKS];
} tarei_chain_links;

/* TARE_E_UNSUPPORTED if there is no kernel for a link. */
tare_status tarei_chain_links_make(const tarei_chain *chain, tarei_chain_links *out,
                                   tare_error *err);

/* Computes n elements, at most TAREI_BLOCK, from blocks of the inputs, into `out`. `rows` has
 * n_rows * TAREI_BLOCK_FLOATS floats. */
void tarei_chain_links_run(const tarei_chain_links *links, const tarei_kernels *kernels,
                           const tarei_block_view *inputs, size_t n, float *rows, float *out);

/* The name of the kernel of the last link. */
const char *tarei_chain_links_kernel(const tarei_chain_links *links, const tarei_kernels *kernels);

#endif
