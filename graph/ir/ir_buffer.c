#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/ir/ir.h"

/* Counts are atomic: clones of one graph share buffers and may live in different threads. */
static void ir_buffer_count_up(int *const references) {
  (void)__atomic_add_fetch(references, 1, __ATOMIC_RELAXED);
}

static bool count_down(int *const references) {
  const int left = __atomic_sub_fetch(references, 1, __ATOMIC_ACQ_REL);
  assert(left >= 0);
  return left == 0;
}

tarei_buffer *tarei_buffer_new(const size_t size) {
  tarei_buffer *const buffer = tarei_calloc(1, sizeof *buffer);
  void *const data = tarei_alloc_aligned(size, 1);
  if (!buffer || !data) {
    free(buffer);
    free(data);
    return NULL;
  }
  memset(data, 0, size);
  *buffer = (tarei_buffer){.references = 1, .data = data, .size = size, .owned = data};
  return buffer;
}

tarei_buffer *tarei_buffer_view(tarei_mapped *const mapped, const void *const data,
                                const size_t size) {
  tarei_buffer *const buffer = tarei_calloc(1, sizeof *buffer);
  if (!buffer) {
    return NULL;
  }
  ir_buffer_count_up(&mapped->references);
  *buffer = (tarei_buffer){.references = 1, .data = (void *)data, .size = size, .mapped = mapped};
  return buffer;
}

tarei_buffer *tarei_buffer_retain(tarei_buffer *const buffer) {
  if (buffer) {
    ir_buffer_count_up(&buffer->references);
  }
  return buffer;
}

void tarei_buffer_release(tarei_buffer *const buffer) {
  if (!buffer || !count_down(&buffer->references)) {
    return;
  }
  free(buffer->owned);
  tarei_mapped_release(buffer->mapped);
  free(buffer);
}

tarei_mapped *tarei_mapped_new(tarei_source *const source) {
  tarei_mapped *const mapped = tarei_calloc(1, sizeof *mapped);
  if (!mapped) {
    return NULL;
  }
  *mapped = (tarei_mapped){.references = 1, .source = *source};
  *source = (tarei_source){0};
  return mapped;
}

void tarei_mapped_release(tarei_mapped *const mapped) {
  if (!mapped || !count_down(&mapped->references)) {
    return;
  }
  tarei_source_close(&mapped->source);
  free(mapped);
}
