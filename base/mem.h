/* Arithmetic on sizes with checks, and allocation. An allocation whose size overflows returns NULL,
 * like one that fails; both are recorded (base/refusals.h). */
#ifndef TAREI_BASE_MEM_H
#define TAREI_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define TAREI_ALIGN 64 /* bytes; a cache line and a zmm register */

/* *out = a * b or a + b; false on overflow. */
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

/* Arithmetic that saturates: an allocation of SIZE_MAX always fails. */
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

/* Allocates `count` zeroed elements of `size` bytes; free with free(). A count of 0 returns a valid
 * pointer. */
void *tarei_calloc(size_t count, size_t size);

/* Allocates `count` elements aligned to TAREI_ALIGN, followed by TAREI_ALIGN readable bytes. Only
 * the latter are zeroed. Free with free(). */
void *tarei_alloc_aligned(size_t count, size_t size);

/* The same, with pages already assigned (huge pages if useful), so that the first access is as fast
 * as any other. Beyond 256 MiB, pages are assigned on first access: such sizes are usually for the
 * longest sample, and most samples need little of them. */
void *tarei_alloc_resident(size_t bytes);

/* Whether a few more MiB can be allocated. Some libraries crash if one of their allocations fails,
 * so this is checked before they are called. */
bool tarei_memory_is_left(void);

/* Like realloc; if memory runs out, the array is unchanged. */
void *tarei_realloc(void *array, size_t bytes);

/* Copies of bytes, of a string, and of at most n bytes of a string; NULL if memory runs out or the
 * string is NULL. */
void *tarei_memdup(const void *data, size_t bytes);
char *tarei_strdup(const char *s);
char *tarei_strndup(const char *s, size_t n);

/* Makes room for one more element of a growing array: array, count, capacity. Returns false if
 * memory runs out, with the array unchanged. Use: if (!TAREI_GROW(a->items, a->n, a->cap)) ... */
#define TAREI_GROW(array, count, capacity) \
  tarei_grow((void **)&(array), (size_t)(count), &(capacity), sizeof *(array))
bool tarei_grow(void **array, size_t count, size_t *capacity, size_t size);

#endif
