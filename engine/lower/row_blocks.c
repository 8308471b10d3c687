#include "engine/lower/row_blocks.h"

#include "engine/threads.h"

#define MOST_ROWS 256 /* the block of activations stays in L2 beside the weights */

typedef struct job {
  size_t rows, size;
  tarei_row_block_fn block;
  const void *user;
} job;

static void item(const void *const user, const size_t i, const int thread) {
  const job *const j = user;
  const size_t first = i * j->size;
  j->block(j->user, first, j->rows - first < j->size ? j->rows - first : j->size, thread);
}

void tarei_row_blocks(const tarei_run *const run, const size_t rows,
                      const tarei_row_block_fn block, const void *const user) {
  const size_t threads = (size_t)run->threads, even = (rows + threads - 1) / threads;
  const job j = {rows, even > MOST_ROWS ? MOST_ROWS : even, block, user};
  if (rows) {
    tarei_team_run(run->team, (rows + j.size - 1) / j.size, item, &j);
  }
}
