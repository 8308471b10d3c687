/* Checked sizes and allocation. Sizes that overflow give NULL, like an allocation that failed;
 * both are noted (base/refusals.h). */
#ifndef TAREI_BASE_MEM_H
#define TAREI_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define TAREI_ALIGN 64 /* bytes; a cache line and a zmm register */

/* *out = a * b, or false on overflow. */
static inline bool tarei_mul_size(const size_t a, const size_t b, size_t *const out) {
  return !__builtin_mul_overflow(a, b, out);
}
static inline bool tarei_add_size(const size_t a, const size_t b, size_t *const out) {
  return !__builtin_add_overflow(a, b, out);
}
static inline bool tarei_mul_i64(const int64_t a, const int64_t b, int64_t *const out) {
  return !__builtin_mul_overflow(a, b, out);
}
static inline bool tarei_add_i64(const int64_t a, const int64_t b, int64_t *const out) {
  return !__builtin_add_overflow(a, b, out);
}

/* Sizes that saturate: SIZE_MAX is more than there is, and what holds it cannot be allocated. */
static inline size_t tarei_times(const size_t a, const size_t b) {
  size_t product;
  return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}
static inline size_t tarei_plus(const size_t a, const size_t b) {
  size_t sum;
  return __builtin_add_overflow(a, b, &sum) ? SIZE_MAX : sum;
}
static inline size_t tarei_round_up(const size_t n, const size_t step) {
  const size_t up = tarei_plus(n, step - 1);
  return up == SIZE_MAX ? SIZE_MAX : up / step * step;
}

/* count zeroed elements of size bytes; free with free(). A count of 0 gives a valid pointer. */
void *tarei_calloc(size_t count, size_t size);

/* count elements aligned to TAREI_ALIGN with TAREI_ALIGN readable slack bytes behind them, not
 * zeroed (the slack is); free with free(). */
void *tarei_alloc_aligned(size_t count, size_t size);

/* Such bytes that the system has given pages for, huge ones where that makes sense: the first use is
 * as fast as any other. Beyond 256 MiB pages come as they are used: so much is mostly asked for the
 * longest sample, and most samples need little of it. */
void *tarei_alloc_resident(size_t bytes);

/* Whether a few MiB more could be had. Some libraries crash where an allocation of theirs fails; it
 * is better to ask before they are entered. */
bool tarei_memory_is_left(void);

/* As realloc; the array stays as it is when there is no memory. */
void *tarei_realloc(void *array, size_t bytes);

/* Copies of bytes and strings, of at most n bytes of one; NULL when out of memory, or when the
 * string is NULL. */
void *tarei_memdup(const void *data, size_t bytes);
char *tarei_strdup(const char *s);
char *tarei_strndup(const char *s, size_t n);

/* Makes room for one more element of a growing array: array, count, capacity. Returns false when
 * out of memory, with the array unchanged. Use: if (!TAREI_GROW(a->items, a->n, a->cap)) ... */
#define TAREI_GROW(array, count, capacity) \
  tarei_grow((void **)&(array), (size_t)(count), &(capacity), sizeof *(array))
bool tarei_grow(void **array, size_t count, size_t *capacity, size_t size);

#endif
