/* Cuts the rows of a matrix product into blocks for the threads. */
#ifndef TAREI_ENGINE_LOWER_ROW_BLOCKS_H
#define TAREI_ENGINE_LOWER_ROW_BLOCKS_H

#include <stddef.h>

typedef void (*tarei_row_block_fn)(const void *user, size_t first, size_t m);

/* Calls block for all of [0, rows) from up to `threads` threads. */
void tarei_row_blocks(size_t rows, int threads, tarei_row_block_fn block, const void *user);

#endif
