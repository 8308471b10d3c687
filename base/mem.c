#include "base/mem.h"

#include <string.h>
#include <sys/mman.h>

#include "base/refusals.h"

#define SMALL_PAGE ((size_t)4096)
#define CUSHION_BYTES ((size_t)4 << 20)
#define HUGE_PAGE ((size_t)2 * 1024 * 1024)
#define TOUCHED ((size_t)256 * 1024 * 1024)

void *tarei_calloc(const size_t count, const size_t size) {
  void *const p = calloc(count ? count : 1, size ? size : 1);
  return p ? p : tarei_refuse();
}

/* The slack counts from `bytes`; the size is a multiple of `align`. */
static void *alloc_with_slack(const size_t bytes, const size_t align) {
  size_t padded;
  if (!tarei_add_size(bytes, TAREI_ALIGN + align, &padded) || padded > PTRDIFF_MAX) {
    return tarei_refuse();
  }
  padded = padded / align * align;
  char *const p = aligned_alloc(align, padded);
  if (p) {
    memset(p + bytes, 0, TAREI_ALIGN);
  }
  return p ? p : tarei_refuse();
}

void *tarei_alloc_aligned(const size_t count, const size_t size) {
  size_t bytes;
  return tarei_mul_size(count, size, &bytes) ? alloc_with_slack(bytes, TAREI_ALIGN)
                                             : tarei_refuse();
}

void *tarei_alloc_resident(const size_t bytes) {
  const bool huge = bytes >= HUGE_PAGE;
  char *const p = alloc_with_slack(bytes, huge ? HUGE_PAGE : TAREI_ALIGN);
#ifdef MADV_HUGEPAGE
  if (p && huge) {
    (void)madvise(p, bytes, MADV_HUGEPAGE); /* a kernel without them gives small pages */
  }
#endif
  for (size_t i = 0; p && i < bytes && bytes <= TOUCHED; i += SMALL_PAGE) {
    p[i] = 0;
  }
  return p;
}

bool tarei_memory_is_left(void) {
  void *volatile cushion = malloc(CUSHION_BYTES); /* compilers leave out what is only freed */
  const bool left = cushion != NULL;
  free(cushion);
  return left;
}

void *tarei_realloc(void *const array, const size_t bytes) {
  void *const p = realloc(array, bytes ? bytes : 1);
  return p ? p : tarei_refuse();
}

void *tarei_memdup(const void *const data, const size_t bytes) {
  void *const copy = tarei_realloc(NULL, bytes);
  if (copy && bytes) {
    memcpy(copy, data, bytes);
  }
  return copy;
}

char *tarei_strdup(const char *const s) {
  return s ? tarei_memdup(s, strlen(s) + 1) : NULL;
}

char *tarei_strndup(const char *const s, const size_t n) {
  const size_t length = s ? strnlen(s, n) : 0;
  char *const copy = s ? tarei_realloc(NULL, length + 1) : NULL;
  if (copy) {
    memcpy(copy, s, length);
    copy[length] = 0;
  }
  return copy;
}

bool tarei_grow(void **const array, const size_t count, size_t *const capacity, const size_t size) {
  if (count < *capacity) {
    return true;
  }
  const size_t wanted = *capacity ? *capacity * 2 : 8;
  size_t bytes;
  if (!tarei_mul_size(wanted, size, &bytes)) {
    (void)tarei_refuse();
    return false;
  }
  void *const grown = tarei_realloc(*array, bytes);
  if (!grown) {
    return false;
  }
  *array = grown;
  *capacity = wanted;
  return true;
}
