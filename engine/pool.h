/*
 * Memory for values whose size is known only when they are computed. Freed blocks are kept for
 * later values that fit, so that a run at sizes that occurred before allocates nothing.
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

/* Bytes by which the pool must grow before it can return a block of this size. */
size_t tarei_pool_growth(const tarei_pool *pool, size_t bytes);

/* A block of at least `bytes` bytes, aligned like tarei_alloc_aligned; NULL if memory runs out. */
void *tarei_pool_take(tarei_pool *pool, size_t bytes);
void tarei_pool_give(tarei_pool *pool, const void *data); /* NULL is allowed */
void tarei_pool_give_all(tarei_pool *pool);
void tarei_pool_fini(tarei_pool *pool);

#endif
