#include "engine/lower/row_blocks.h"

#define MOST_ROWS 256 /* the block of activations stays in L2 beside the weights */

void tarei_row_blocks(const size_t rows, const int threads, const tarei_row_block_fn block,
                      const void *const user) {
  size_t size = (rows + (size_t)threads - 1) / (size_t)threads;
  size = size > MOST_ROWS ? MOST_ROWS : size;
#pragma omp parallel for num_threads(threads) schedule(static) if (rows > size)
  for (size_t first = 0; first < rows; first += size) {
    block(user, first, rows - first < size ? rows - first : size);
  }
}
