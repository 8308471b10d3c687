/* The element types that arithmetic is done in, as lists for macros: X(dtype, type, wide). Sums,
 * differences and products of integers wrap: they are made in `wide`, which is unsigned. */
#ifndef TAREI_KERNELS_TYPED_H
#define TAREI_KERNELS_TYPED_H

#include <math.h>
#include <stdint.h>

#define TAREI_SIGNED_TYPES(X) \
  X(I8, int8_t, uint32_t)     \
  X(I16, int16_t, uint32_t)   \
  X(I32, int32_t, uint32_t)   \
  X(I64, int64_t, uint64_t)

#define TAREI_UNSIGNED_TYPES(X) \
  X(U8, uint8_t, uint32_t)      \
  X(U16, uint16_t, uint32_t)    \
  X(U32, uint32_t, uint32_t)    \
  X(U64, uint64_t, uint64_t)

#define TAREI_INTEGER_TYPES(X) TAREI_SIGNED_TYPES(X) TAREI_UNSIGNED_TYPES(X)

#define TAREI_FLOAT_TYPES(X) \
  X(F32, float, float)       \
  X(F64, double, double)

/* Initializers of a table by dtype, from functions called fn_U8, fn_I8, ... */
#define TAREI_DTYPES (TARE_BF16 + 1)
#define TAREI_ROW(fn, dtype) [TARE_##dtype] = fn##_##dtype
#define TAREI_SIGNED_ROWS(fn) \
  TAREI_ROW(fn, I8), TAREI_ROW(fn, I16), TAREI_ROW(fn, I32), TAREI_ROW(fn, I64)
#define TAREI_UNSIGNED_ROWS(fn) \
  TAREI_ROW(fn, U8), TAREI_ROW(fn, U16), TAREI_ROW(fn, U32), TAREI_ROW(fn, U64)
/* The same functions for both, where signs do not matter. */
#define TAREI_INTEGER_ROWS(fn)                                                                \
  TAREI_UNSIGNED_ROWS(fn), [TARE_I8] = fn##_U8, [TARE_I16] = fn##_U16, [TARE_I32] = fn##_U32, \
                           [TARE_I64] = fn##_U64

/* A double as int64, towards zero and within its range; NaN is 0. */
static inline int64_t tarei_saturate_i64(const double x) {
  return isnan(x) ? 0 : x <= -0x1p63 ? INT64_MIN : x >= 0x1p63 ? INT64_MAX : (int64_t)x;
}

#endif
