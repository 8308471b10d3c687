/*
 * An int8 linear layer whose rows are floats before the product, after it, or both. A block of rows
 * stays near its core: floats become bytes, these are multiplied with all columns, and what comes
 * out becomes bytes again. Where a thread would have too few rows, all threads do these steps
 * together, one after another.
 */
#ifndef TAREI_ENGINE_LOWER_PRODUCTS_LINEAR_BLOCKS_H
#define TAREI_ENGINE_LOWER_PRODUCTS_LINEAR_BLOCKS_H

#include "engine/lower/products/act_rows.h"
#include "engine/lower/products/grid.h"
#include "engine/lower/products/int8_weights.h"

typedef struct tarei_linear {
  tarei_int8_layer layer;
  size_t k;
  const int8_t *weights;  /* packed */
  size_t groups;          /* equal parts of a row that it writes as bytes with a scale each, or 0 */
  tarei_act_rows rows_of; /* the same, from the bound of its activation: one group */
} tarei_linear;

/* Whether its rows are floats anywhere. */
static inline bool tarei_linear_has_blocks(const tarei_linear *const l) {
  return l->layer.float_rows || l->groups > 0;
}

/* The product of m rows. */
tarei_grid tarei_linear_grid(const tarei_linear *l, const tarei_run *run, size_t m);

/* Scratch bytes for m rows. */
size_t tarei_linear_blocks_scratch(const tarei_linear *l, const tarei_step *step, size_t m,
                                   int threads);

/* Runs m rows. `rows` are those of a layer that reads bytes; `epilogue` is for all rows, its floats
 * are set here where the layer writes rows. */
void tarei_linear_blocks_run(const tarei_linear *l, const tarei_step *step, const tarei_run *run,
                             const tarei_row_bytes *rows, const tarei_epilogue *epilogue, size_t m);

/* The product of a part of rows and columns. */
void tarei_linear_multiply(const tarei_linear *l, const tarei_run *run, const tarei_row_bytes *rows,
                           const tarei_epilogue *epilogue, const tarei_block *block, void *sums);

#endif
