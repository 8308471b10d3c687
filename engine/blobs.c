#include "engine/blobs.h"

#include <assert.h>

#include "base/mem.h"

tare_status tarei_blobs_take(tarei_blobs *const blobs, const size_t size, void **const data,
                             bool *const fresh, tare_error *const err) {
  *fresh = !blobs->loading;
  if (blobs->loading) {
    if (blobs->next >= blobs->n || blobs->buffers[blobs->next]->size != size) {
      return tarei_fail(
          err, TARE_E_INPUT, "packed block %d has %zu bytes, the layer needs %zu", blobs->next,
          blobs->next < blobs->n ? blobs->buffers[blobs->next]->size : (size_t)0, size);
    }
    *data = blobs->buffers[blobs->next++]->data;
    return TARE_OK;
  }
  if (!TAREI_GROW(blobs->buffers, blobs->n, blobs->capacity)) {
    return tarei_fail_memory(err, "packed blocks", blobs->capacity * sizeof *blobs->buffers);
  }
  tarei_buffer *const buffer = tarei_buffer_new(size);
  if (!buffer) {
    return tarei_fail_memory(err, "packed weights", size);
  }
  blobs->buffers[blobs->n++] = buffer;
  *data = buffer->data;
  return TARE_OK;
}

int tarei_blobs_taken(const tarei_blobs *const blobs) {
  return blobs->loading ? blobs->next : blobs->n;
}

void tarei_blobs_give(tarei_blobs *const blobs, const int n) {
  assert(!blobs->loading && n <= blobs->n);
  while (blobs->n > n) {
    tarei_buffer_release(blobs->buffers[--blobs->n]);
  }
}

size_t tarei_blobs_bytes(const tarei_blobs *const blobs) {
  size_t bytes = 0;
  for (int i = 0; i < blobs->n; i++) {
    bytes += blobs->buffers[i]->size;
  }
  return bytes;
}

void tarei_blobs_fini(tarei_blobs *const blobs) {
  for (int i = 0; i < blobs->n; i++) {
    tarei_buffer_release(blobs->buffers[i]);
  }
  free(blobs->buffers);
  *blobs = (tarei_blobs){0};
}
