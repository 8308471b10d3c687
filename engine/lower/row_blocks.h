/* Cuts the rows of a matrix product into blocks for the threads. */
#ifndef TAREI_ENGINE_LOWER_ROW_BLOCKS_H
#define TAREI_ENGINE_LOWER_ROW_BLOCKS_H

#include "engine/step.h"

typedef void (*tarei_row_block_fn)(const void *user, size_t first, size_t m, int thread);

/* Calls block for all of [0, rows) from the threads of the run. */
void tarei_row_blocks(const tarei_run *run, size_t rows, tarei_row_block_fn block,
                      const void *user);

#endif
