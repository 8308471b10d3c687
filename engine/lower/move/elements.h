/* Elements of any type, moved by their size. */
#ifndef TAREI_ENGINE_LOWER_MOVE_ELEMENTS_H
#define TAREI_ENGINE_LOWER_MOVE_ELEMENTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Runs a statement with `type` an unsigned type as wide as `element` bytes: 1, 2, 4 or 8. */
#define TAREI_BY_SIZE(element, statement) \
  switch (element) {                      \
    case 1: {                             \
      typedef uint8_t type;               \
      statement;                          \
    } break;                              \
    case 2: {                             \
      typedef uint16_t type;              \
      statement;                          \
    } break;                              \
    case 4: {                             \
      typedef uint32_t type;              \
      statement;                          \
    } break;                              \
    default: {                            \
      typedef uint64_t type;              \
      statement;                          \
    } break;                              \
  }

/* Copies n elements that lie `stride` elements apart, which may be negative; n is at least 1. The
 * usual strides have loops of their own, which compilers make vectors of. */
static inline void tarei_copy_strided(void *const to, const void *const from, const size_t n,
                                      const int64_t stride, const size_t element) {
  if (stride == 1) {
    memcpy(to, from, n * element);
    return;
  }
  if (stride == 2) {
    TAREI_BY_SIZE(
        element, for (size_t i = 0; i < n; i++) { ((type *)to)[i] = ((const type *)from)[2 * i]; })
    return;
  }
  if (stride == -1) {
    TAREI_BY_SIZE(
        element, const type *const last = (const type *)from - (n - 1);
        for (size_t i = 0; i < n; i++) { ((type *)to)[i] = last[n - 1 - i]; })
    return;
  }
  TAREI_BY_SIZE(
      element, for (size_t i = 0; i < n;
                    i++) { ((type *)to)[i] = ((const type *)from)[(int64_t)i * stride]; })
}

/* n times the same element. */
static inline void tarei_fill_elements(void *const to, const void *const value, const size_t n,
                                       const size_t element) {
  enum { MANY = 16 }; /* worth a call */
  const char *const bytes = value;
  if (n >= MANY && memcmp(bytes, bytes + 1, element - 1) == 0) {
    memset(to, *bytes, n * element);
    return;
  }
  TAREI_BY_SIZE(
      element, const type same = *(const type *)value;
      for (size_t i = 0; i < n; i++) { ((type *)to)[i] = same; })
}

#endif
