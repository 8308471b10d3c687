#include "base/mem.h"

#include <string.h>

void *tarei_calloc(const size_t count, const size_t size) {
  return calloc(count ? count : 1, size ? size : 1);
}

void *tarei_alloc_aligned(const size_t count, const size_t size) {
  size_t bytes, padded;
  if (!tarei_mul_size(count, size, &bytes) ||
      !tarei_add_size(bytes, (size_t)2 * TAREI_ALIGN, &padded)) {
    return NULL;
  }
  padded = padded / TAREI_ALIGN * TAREI_ALIGN;
  char *const p = aligned_alloc(TAREI_ALIGN, padded);
  if (p) {
    memset(p + bytes, 0, padded - bytes);
  }
  return p;
}

void *tarei_memdup(const void *const data, const size_t bytes) {
  void *const copy = malloc(bytes ? bytes : 1);
  if (copy && bytes) {
    memcpy(copy, data, bytes);
  }
  return copy;
}

char *tarei_strdup(const char *const s) {
  return s ? tarei_memdup(s, strlen(s) + 1) : NULL;
}

bool tarei_grow(void **const array, const size_t count, size_t *const capacity,
                const size_t size) {
  if (count < *capacity) {
    return true;
  }
  const size_t wanted = *capacity ? *capacity * 2 : 8;
  size_t bytes;
  if (!tarei_mul_size(wanted, size, &bytes)) {
    return false;
  }
  void *const grown = realloc(*array, bytes);
  if (!grown) {
    return false;
  }
  *array = grown;
  *capacity = wanted;
  return true;
}
