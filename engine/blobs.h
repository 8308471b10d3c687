/*
 * The packed constants of a plan, in the order in which the steps take them: allocated when a plan
 * is built, views of the mapped file when it is loaded.
 */
#ifndef TAREI_ENGINE_BLOBS_H
#define TAREI_ENGINE_BLOBS_H

#include "graph/ir/ir.h"

typedef struct tarei_blobs {
  tarei_buffer **buffers;
  int n;
  size_t capacity;
  int next; /* while loading: the next blob to be taken */
  bool loading;
} tarei_blobs;

/* The next blob of `size` bytes, 64-byte aligned. *fresh says whether the caller must fill it (then
 * it is zeroed and writable). TARE_E_INPUT if the blob of a loaded plan has another size,
 * TARE_E_MEMORY. The memory belongs to the plan. */
tare_status tarei_blobs_take(tarei_blobs *blobs, size_t size, void **data, bool *fresh,
                             tare_error *err);
int tarei_blobs_taken(const tarei_blobs *blobs);    /* how many were taken so far */
void tarei_blobs_give(tarei_blobs *blobs, int n);   /* frees those after the first n */
size_t tarei_blobs_bytes(const tarei_blobs *blobs); /* of all */
void tarei_blobs_fini(tarei_blobs *blobs);

#endif
