/* Cuts a matrix product into blocks of rows and panels of columns for the threads. */
#ifndef TAREI_ENGINE_LOWER_PRODUCTS_GRID_H
#define TAREI_ENGINE_LOWER_PRODUCTS_GRID_H

#include "engine/step.h"

#define TAREI_GRID_PANEL 32 /* columns; blocks begin at multiples of it */

typedef struct tarei_grid {
  size_t m, n;                    /* rows and columns of the output */
  size_t row_bytes, column_bytes; /* what one row reads of A, one column of the weights */
  unsigned isa;                   /* features of the kernel that multiplies */
} tarei_grid;

/* A part of the output: rows [row, row + m) by columns [column, column + n). */
typedef struct tarei_block {
  size_t row, m, column, n;
} tarei_block;

typedef void (*tarei_block_fn)(const void *user, const tarei_block *block, int thread);

/* How many threads of a run are worth their while. */
size_t tarei_grid_threads(const tarei_grid *grid, int threads);

/* Calls fn for blocks that cover the output, from the threads of the run. A thread has the same
 * rows or columns in each run of the same size, so that what it reads stays in the caches of its
 * core. */
void tarei_grid_run(const tarei_grid *grid, const tarei_run *run, tarei_block_fn fn,
                    const void *user);

#endif
