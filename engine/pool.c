#include "engine/pool.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

/* The smallest free block that fits, else the largest free one, which may then grow. */
static struct tarei_pool_block *pool_choose(const tarei_pool *const pool, const size_t bytes) {
  struct tarei_pool_block *best = NULL;
  for (int i = 0; i < pool->n_blocks; i++) {
    struct tarei_pool_block *const b = &pool->blocks[i];
    if (b->taken) {
      continue;
    }
    const bool fits = b->bytes >= bytes, best_fits = best && best->bytes >= bytes;
    if (!best || (fits && (!best_fits || b->bytes < best->bytes)) ||
        (!fits && !best_fits && b->bytes > best->bytes)) {
      best = b;
    }
  }
  return best;
}

size_t tarei_pool_growth(const tarei_pool *const pool, const size_t bytes) {
  const struct tarei_pool_block *const b = pool_choose(pool, bytes);
  return !b ? bytes : b->bytes >= bytes ? 0 : bytes - b->bytes;
}

static void resize(tarei_pool *const pool, struct tarei_pool_block *const b, const size_t bytes) {
  if (pool->total) {
    *pool->total = *pool->total - b->bytes + bytes;
  }
  b->bytes = bytes;
}

void *tarei_pool_take(tarei_pool *const pool, const size_t bytes) {
  struct tarei_pool_block *b = pool_choose(pool, bytes);
  if (!b) {
    if (!TAREI_GROW(pool->blocks, pool->n_blocks, pool->cap_blocks)) {
      return NULL;
    }
    b = &pool->blocks[pool->n_blocks++];
    *b = (struct tarei_pool_block){0};
  }
  if (!b->data || b->bytes < bytes) {
    free(b->data);
    b->data = tarei_alloc_aligned(bytes, 1);
    resize(pool, b, b->data ? bytes : 0);
  }
  b->taken = b->data != NULL;
  return b->data;
}

void tarei_pool_give(tarei_pool *const pool, const void *const data) {
  for (int i = 0; data && i < pool->n_blocks; i++) {
    if (pool->blocks[i].data == data) {
      pool->blocks[i].taken = false;
      return;
    }
  }
  assert(!data);
}

void tarei_pool_give_all(tarei_pool *const pool) {
  for (int i = 0; i < pool->n_blocks; i++) {
    pool->blocks[i].taken = false;
  }
}

void tarei_pool_fini(tarei_pool *const pool) {
  for (int i = 0; i < pool->n_blocks; i++) {
    free(pool->blocks[i].data);
  }
  free(pool->blocks);
  *pool = (tarei_pool){0};
}
