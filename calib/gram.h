/*
 * Gram matrices: sums of products of the inputs of a layer, over rows of 8 bits. Integers are
 * exact, so that a sum does not depend on the order of the rows, nor on threads.
 *
 * Only blocks on the diagonal are kept: of inputs that are not further apart, which have most of
 * what rounding by least squares gains (calib/methods/rounding.h).
 */
#ifndef TAREI_CALIB_GRAM_H
#define TAREI_CALIB_GRAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "kernels/kernels.h"

#define TAREI_GRAM_MOST 512   /* inputs of a block */
#define TAREI_GRAM_BATCH 256  /* rows that are added at a time: their sums fit into a float */
#define TAREI_GRAM_MIDDLE 128 /* zero point of their bytes */

typedef struct tarei_gram {
  int64_t k;      /* inputs */
  int64_t n_rows; /* that were added */
  int64_t *sums;  /* [tarei_gram_count(k)]: lower triangles of the blocks, row by row; or NULL */
} tarei_gram;

/* Sums of all blocks; 0 where there would be more than memory holds. */
size_t tarei_gram_count(int64_t k);
int64_t tarei_gram_blocks(int64_t k);
/* First input of a block, and behind the last block k. */
int64_t tarei_gram_begin(int64_t k, int64_t block);
/* The lower triangle of a block: that of inputs begin + i and begin + j, j <= i, stands at
 * i * (i + 1) / 2 + j. */
const int64_t *tarei_gram_block(const tarei_gram *gram, int64_t block);

/* Makes sums of zeros. */
tare_status tarei_gram_init(tarei_gram *gram, int64_t k, tare_error *err);
void tarei_gram_fini(tarei_gram *gram);
/* Back to zeros. */
void tarei_gram_reset(tarei_gram *gram);

/* Scratch memory to add rows with. */
typedef struct tarei_gram_work {
  uint8_t *columns; /* of a block, each with its bytes of all rows */
  int8_t *packed;
  int32_t *add;
  float *ones, *products;
} tarei_gram_work;

tare_status tarei_gram_work_init(tarei_gram_work *work, tare_error *err);
void tarei_gram_work_fini(tarei_gram_work *work);

/* Adds 1..TAREI_GRAM_BATCH rows of k bytes, k apart. */
void tarei_gram_add(tarei_gram *gram, const uint8_t *rows, size_t n_rows, tarei_gram_work *work,
                    const tarei_kernels *kernels);

#endif
