/* Casts between all element types. Plain loops, of which the compiler makes vectors for each ISA:
 * every element is rounded once, by itself. Floats become integers by truncation, saturated to the
 * range of the type; NaN becomes 0. */
#include <math.h>
#include <string.h>

#include "base/half.h"
#include "kernels/generic/v16.h"
#include "kernels/typed.h"

enum { CAST_BLOCK = 1024 }; /* elements that are converted in two steps: they stay in L1 */

typedef void cast_row_fn(const void *x, size_t n, void *out);

#define CAST_ROW(name, from, to, expression)                       \
  static void TAREI_K(name)(const void *in, size_t n, void *out) { \
    for (size_t i = 0; i < n; i++) {                               \
      const from x = ((const from *)in)[i];                        \
      ((to *)out)[i] = (expression);                               \
    }                                                              \
  }

/* --- between integers, and from integers to floats and bool ----------------------------------- */
#define FROM_INTEGER(dtype, from, wide)                          \
  CAST_ROW(dtype##_to_U8, from, uint8_t, (uint8_t)x)             \
  CAST_ROW(dtype##_to_I8, from, int8_t, (int8_t)x)               \
  CAST_ROW(dtype##_to_U16, from, uint16_t, (uint16_t)x)          \
  CAST_ROW(dtype##_to_I16, from, int16_t, (int16_t)x)            \
  CAST_ROW(dtype##_to_U32, from, uint32_t, (uint32_t)x)          \
  CAST_ROW(dtype##_to_I32, from, int32_t, (int32_t)x)            \
  CAST_ROW(dtype##_to_U64, from, uint64_t, (uint64_t)(int64_t)x) \
  CAST_ROW(dtype##_to_I64, from, int64_t, (int64_t)x)            \
  CAST_ROW(dtype##_to_F32, from, float, (float)x)                \
  CAST_ROW(dtype##_to_F64, from, double, (double)x)              \
  CAST_ROW(dtype##_to_BOOL, from, uint8_t, x != 0)
TAREI_INTEGER_TYPES(FROM_INTEGER)
#undef FROM_INTEGER

/* --- from floats ------------------------------------------------------------------------------ */

/* Short integers are cut to 32 bits first, which vectors can do. */
#define CUT(from, to, by, lowest, highest) \
  (x != x                 ? (to)0          \
   : x <= (from)(lowest)  ? (to)(lowest)   \
   : x >= (from)(highest) ? (to)(highest)  \
                          : (to)(by)x)
#define FROM_FLOAT(dtype, from, wide)                                                        \
  CAST_ROW(dtype##_to_U8, from, uint8_t, CUT(from, uint8_t, int32_t, 0, UINT8_MAX))          \
  CAST_ROW(dtype##_to_I8, from, int8_t, CUT(from, int8_t, int32_t, INT8_MIN, INT8_MAX))      \
  CAST_ROW(dtype##_to_U16, from, uint16_t, CUT(from, uint16_t, int32_t, 0, UINT16_MAX))      \
  CAST_ROW(dtype##_to_I16, from, int16_t, CUT(from, int16_t, int32_t, INT16_MIN, INT16_MAX)) \
  CAST_ROW(dtype##_to_U32, from, uint32_t, CUT(from, uint32_t, uint32_t, 0, UINT32_MAX))     \
  CAST_ROW(dtype##_to_I32, from, int32_t, CUT(from, int32_t, int32_t, INT32_MIN, INT32_MAX)) \
  CAST_ROW(dtype##_to_U64, from, uint64_t, CUT(from, uint64_t, uint64_t, 0, UINT64_MAX))     \
  CAST_ROW(dtype##_to_I64, from, int64_t, CUT(from, int64_t, int64_t, INT64_MIN, INT64_MAX)) \
  CAST_ROW(dtype##_to_F32, from, float, (float)x)                                            \
  CAST_ROW(dtype##_to_F64, from, double, (double)x)                                          \
  CAST_ROW(dtype##_to_BOOL, from, uint8_t, x != 0)
TAREI_FLOAT_TYPES(FROM_FLOAT)
#undef FROM_FLOAT
#undef CUT

static cast_row_fn *TAREI_K(cast_direct)(tare_dtype from, tare_dtype to) {
#define TO(from, to) [TARE_##to] = TAREI_K(from##_to_##to)
#define TO_ROWS(from)                                                                       \
  {                                                                                         \
    TO(from, U8), TO(from, I8), TO(from, U16), TO(from, I16), TO(from, U32), TO(from, I32), \
        TO(from, U64), TO(from, I64), TO(from, F32), TO(from, F64), TO(from, BOOL)          \
  }
#define FROM_ROW(dtype, type, wide) [TARE_##dtype] = TO_ROWS(dtype),
  static cast_row_fn *const rows[TAREI_DTYPES][TAREI_DTYPES] = {
      TAREI_INTEGER_TYPES(FROM_ROW) TAREI_FLOAT_TYPES(FROM_ROW)[TARE_BOOL] = TO_ROWS(U8)};
#undef FROM_ROW
#undef TO_ROWS
#undef TO
  return rows[from][to];
}

/* --- short floats ----------------------------------------------------------------------------- */
CAST_ROW(f16_to_f32_rest, uint16_t, float, tarei_f16_to_float(x))
CAST_ROW(f32_to_f16_rest, float, uint16_t, tarei_float_to_f16(x))
CAST_ROW(bf16_to_f32, uint16_t, float, tarei_bf16_to_float(x))
CAST_ROW(f32_to_bf16, float, uint16_t, tarei_float_to_bf16(x))

/* The nearest float whose last bit is set where it is not exact: rounded again, to a shorter type,
 * it gives what x itself would. */
TAREI_INLINE float cast_odd_float(double x) {
  float y = (float)x;
  if ((double)y == x || isnan(x) || isinf(y)) {
    return y;
  }
  y = fabs((double)y) > fabs(x) ? nextafterf(y, 0) : y;
  return tarei_bits_to_float(tarei_float_to_bits(y) | 1);
}
CAST_ROW(f64_to_odd_f32, double, float, cast_odd_float(x))
#undef CAST_ROW

static void TAREI_K(f16_to_f32)(const void *x, size_t n, void *out) {
  const uint16_t *in = x;
  float *to = out;
  size_t i = 0;
#ifdef V16_WIDENS_F16
  for (; i + TAREI_LANES <= n; i += TAREI_LANES) {
    v_store(to + i, v_load_f16(in + i));
  }
#endif
  TAREI_K(f16_to_f32_rest)(in + i, n - i, to + i);
}

static void TAREI_K(f32_to_f16)(const void *x, size_t n, void *out) {
  const float *in = x;
  uint16_t *to = out;
  size_t i = 0;
#ifdef V16_NARROWS_F16
  for (; i + TAREI_LANES <= n; i += TAREI_LANES) {
    v_store_f16(to + i, v_load(in + i));
  }
#endif
  TAREI_K(f32_to_f16_rest)(in + i, n - i, to + i);
}

TAREI_INLINE bool cast_is_short(tare_dtype dtype) {
  return dtype == TARE_F16 || dtype == TARE_BF16;
}

/* At most CAST_BLOCK elements of one of the short floats, or to one. */
static void TAREI_K(cast_short)(tare_dtype from, tare_dtype to, const void *x, size_t n,
                                void *out) {
  float floats[CAST_BLOCK];
  double wide[CAST_BLOCK];
  const tare_dtype given = cast_is_short(from) ? TARE_F32 : from;
  if (given != from) {
    void *const widened = to == TARE_F32 ? out : floats;
    (from == TARE_F16 ? TAREI_K(f16_to_f32) : TAREI_K(bf16_to_f32))(x, n, widened);
    x = widened;
  }
  if (!cast_is_short(to)) {
    if (to != TARE_F32) {
      TAREI_K(cast_direct)(given, to)(x, n, out);
    }
    return;
  }
  if (given != TARE_F32) {
    TAREI_K(cast_direct)(given, TARE_F64)(x, n, wide);
    TAREI_K(f64_to_odd_f32)(wide, n, floats);
    x = floats;
  }
  (to == TARE_F16 ? TAREI_K(f32_to_f16) : TAREI_K(f32_to_bf16))(x, n, out);
}

TAREI_INLINE size_t cast_size(tare_dtype dtype) {
#define SIZE_OF(name, value, bytes, text) [value] = (bytes),
  static const uint8_t sizes[TAREI_DTYPES] = {TARE_DTYPE_LIST(SIZE_OF)};
#undef SIZE_OF
  return sizes[dtype];
}

void TAREI_K(tarei_k_cast_any_1)(tare_dtype from, tare_dtype to, const void *x, size_t n,
                                 void *out) {
  if (!cast_is_short(from) && !cast_is_short(to)) {
    TAREI_K(cast_direct)(from, to)(x, n, out);
    return;
  }
  for (size_t i = 0; i < n; i += CAST_BLOCK) {
    TAREI_K(cast_short)
    (from, to, (const char *)x + i * cast_size(from), n - i < CAST_BLOCK ? n - i : CAST_BLOCK,
     (char *)out + i * cast_size(to));
  }
}
