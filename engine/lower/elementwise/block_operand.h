/*
 * Operands of elementwise operators in blocks of the flat output.
 *
 * A block is a run of elements of the output, whatever their axes. An operand gives a block as one
 * number, or as a row of as many: where it lies so in memory, in place, otherwise as a copy. A call
 * of a kernel for each short row of an operand that is broadcast, or is a part of another tensor,
 * would take longer than the elements of the row.
 */
#ifndef TAREI_ENGINE_LOWER_ELEMENTWISE_BLOCK_OPERAND_H
#define TAREI_ENGINE_LOWER_ELEMENTWISE_BLOCK_OPERAND_H

#include <tare/tensor.h>

#include "base/error.h"
#include "graph/chains/chain.h"

enum {
  TAREI_BLOCK = 1024,       /* elements, at most */
  TAREI_BLOCK_PERIOD = 256, /* a row of no more that is the same again and again is copied once */
  TAREI_BLOCK_FLOATS = TAREI_BLOCK + TAREI_BLOCK_PERIOD /* room for a copy */
};

/* Floats broadcast to the output, without the axes that do not matter: neighbours of which the
 * outer one goes on where the inner one ends are one. */
typedef struct tarei_block_operand {
  const float *data;
  int n_axes;                                        /* at least one, outermost first */
  size_t size[TARE_MAX_RANK], stride[TARE_MAX_RANK]; /* elements */
  size_t period;                                     /* of a row that is copied once; 0: none */
} tarei_block_operand;

/* The part of a tensor that a slice says, for an output of these dims. TARE_E_SHAPE if it does not
 * broadcast to them. */
tare_status tarei_block_operand_read(const tare_tensor *t, const tarei_chain_slice *slice,
                                     const tare_tensor *out, tarei_block_operand *operand,
                                     tare_error *err);

/* How blocks divide an output: none reaches from one of its rows into the next, so that operands
 * that are broadcast, or lie elsewhere, along long rows are read in place. */
typedef struct tarei_blocks {
  size_t rows, row; /* elements of a row */
  size_t per_row;   /* blocks of one */
  size_t size;      /* elements of each but the last of a row */
} tarei_blocks;

tarei_blocks tarei_blocks_of(const tarei_block_operand *operands, int n, size_t total);

/* A block of an operand: one number for all of it where step is 0. */
typedef struct tarei_block_view {
  const float *data;
  size_t step;
} tarei_block_view;

/* Before the first block of a thread: `copy` has room for TAREI_BLOCK_FLOATS, `total` are the
 * elements of the output. */
void tarei_block_operand_begin(const tarei_block_operand *operand, size_t total, float *copy);

/* Elements [at, at + n) of the output; may change what is behind `copy`, which has been begun. */
tarei_block_view tarei_block_operand_view(const tarei_block_operand *operand, size_t at, size_t n,
                                          float *copy);

#endif
