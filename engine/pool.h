/*
 * Memory for values whose size is known only when they are computed: blocks that are taken, given
 * back, and taken again by whoever fits, so that a run at known sizes allocates nothing.
 */
#ifndef TAREI_ENGINE_POOL_H
#define TAREI_ENGINE_POOL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tarei_pool {
  struct tarei_pool_block {
    void *data;
    size_t bytes;
    bool taken;
  } * blocks;
  int n_blocks;
  size_t cap_blocks;
  size_t *total; /* bytes of this pool and others, kept up to date; or NULL */
} tarei_pool;

/* Bytes that the pool has to grow by before it can give so many. */
size_t tarei_pool_growth(const tarei_pool *pool, size_t bytes);

/* At least `bytes` bytes, aligned as tarei_alloc_aligned does; NULL when out of memory. */
void *tarei_pool_take(tarei_pool *pool, size_t bytes);
void tarei_pool_give(tarei_pool *pool, const void *data); /* NULL is fine */
void tarei_pool_give_all(tarei_pool *pool);
void tarei_pool_fini(tarei_pool *pool);

#endif
