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

/* Integers whose ends the floats have, by way of those of 32 bits, which vectors can do. */
#define CUT_SHORT(from, lowest, highest) cast_cut_##from(x, lowest, highest)
#define DEFINE_CUT_SHORT(from)                                                              \
  TAREI_INLINE int32_t cast_cut_##from(from x, const from lowest, const from highest) {     \
    const from above = x > lowest ? x : lowest, within = above < highest ? above : highest; \
    return (int32_t)(lowest == 0 || x == x ? within : 0); /* a NaN is the lowest by now */  \
  }
DEFINE_CUT_SHORT(float)
DEFINE_CUT_SHORT(double)
#undef DEFINE_CUT_SHORT
#define CUT(from, to, lowest, highest)    \
  (x != x                 ? (to)0         \
   : x <= (from)(lowest)  ? (to)(lowest)  \
   : x >= (from)(highest) ? (to)(highest) \
                          : (to)x)
/* Not every instruction set has vectors of 64 bits for this: those of 32 do for blocks of numbers
 * that fit. */
#define CAST_BY_DISTANCE(dtype, from)                                                         \
  static void TAREI_K(dtype##_to_I64)(const void *in, size_t n, void *out) {                  \
    for (size_t i = 0; i < n; i += CAST_BLOCK) {                                              \
      const size_t m = n - i < CAST_BLOCK ? n - i : CAST_BLOCK;                               \
      const from *const x = (const from *)in + i;                                             \
      int far = 0;                                                                            \
      for (size_t k = 0; k < m; k++) {                                                        \
        far |= !(x[k] > (from)-0x1p31 && x[k] < (from)0x1p31);                                \
      }                                                                                       \
      (far ? TAREI_K(dtype##_to_far_I64) : TAREI_K(dtype##_to_near_I64))(x, m,                \
                                                                         (int64_t *)out + i); \
    }                                                                                         \
  }
#define SHORT_FROM_FLOAT(dtype, from)                                                \
  CAST_ROW(dtype##_to_U8, from, uint8_t, (uint8_t)CUT_SHORT(from, 0, UINT8_MAX))     \
  CAST_ROW(dtype##_to_I8, from, int8_t, (int8_t)CUT_SHORT(from, INT8_MIN, INT8_MAX)) \
  CAST_ROW(dtype##_to_U16, from, uint16_t, (uint16_t)CUT_SHORT(from, 0, UINT16_MAX)) \
  CAST_ROW(dtype##_to_I16, from, int16_t, (int16_t)CUT_SHORT(from, INT16_MIN, INT16_MAX))
SHORT_FROM_FLOAT(rest_F32, float)
SHORT_FROM_FLOAT(F64, double)
#undef SHORT_FROM_FLOAT
CAST_ROW(F32_to_I32, float, int32_t, CUT(float, int32_t, INT32_MIN, INT32_MAX))
CAST_ROW(F64_to_I32, double, int32_t, CUT_SHORT(double, INT32_MIN, INT32_MAX))

#define FROM_FLOAT(dtype, from, wide)                                                   \
  CAST_ROW(dtype##_to_U32, from, uint32_t, CUT(from, uint32_t, 0, UINT32_MAX))          \
  CAST_ROW(dtype##_to_U64, from, uint64_t, CUT(from, uint64_t, 0, UINT64_MAX))          \
  CAST_ROW(dtype##_to_far_I64, from, int64_t, CUT(from, int64_t, INT64_MIN, INT64_MAX)) \
  CAST_ROW(dtype##_to_near_I64, from, int64_t, (int32_t)x)                              \
  CAST_BY_DISTANCE(dtype, from)                                                         \
  CAST_ROW(dtype##_to_F32, from, float, (float)x)                                       \
  CAST_ROW(dtype##_to_F64, from, double, (double)x)                                     \
  CAST_ROW(dtype##_to_BOOL, from, uint8_t, x != 0)
TAREI_FLOAT_TYPES(FROM_FLOAT)
#undef FROM_FLOAT
#undef CUT
#undef CUT_SHORT
#undef CAST_BY_DISTANCE

/* Short integers from floats: compilers make much more of it than there need be. BITS are those of
 * the type, of a lane that may be below zero. */
#define CAST_LANES(dtype, type, lowest, highest, WITHIN, BITS, STORE)        \
  static void TAREI_K(F32_to_##dtype)(const void *in, size_t n, void *out) { \
    const float *const x = in;                                               \
    type *const to = out;                                                    \
    const v16 least = v_set1(lowest), most = v_set1(highest);                \
    size_t i = 0;                                                            \
    for (; i + 4 * TAREI_LANES <= n; i += 4 * TAREI_LANES) {                 \
      v16i lanes[4];                                                         \
      _Pragma("GCC unroll 4") for (size_t q = 0; q < 4; q++) {               \
        const v16 v = v_load(x + i + q * TAREI_LANES);                       \
        const v16 within = v_min(v_max(v, least), most);                     \
        lanes[q] = BITS(v_truncate(WITHIN));                                 \
      }                                                                      \
      STORE(to + i, lanes);                                                  \
    }                                                                        \
    TAREI_K(rest_F32_to_##dtype)(x + i, n - i, to + i);                      \
  }
TAREI_INLINE void cast_store_bytes(void *to, const v16i *lanes) {
  i_store_u8_four(to, lanes);
}
TAREI_INLINE void cast_store_words(void *to, const v16i *lanes) {
#pragma GCC unroll 4
  for (size_t q = 0; q < 4; q++) {
    i_store_u16((uint16_t *)to + q * TAREI_LANES, lanes[q]);
  }
}
TAREI_INLINE v16i cast_low_bits(v16i lanes, int bits) {
  return i_sub(lanes, i_shift_left(i_shift_right(lanes, bits), bits));
}
#define SAME(lanes) lanes
#define BYTE(lanes) cast_low_bits(lanes, 8)
#define WORD(lanes) cast_low_bits(lanes, 16)
#define NUMBER v_select(v_is_number(v), within, v_set1(0.0f))
CAST_LANES(U8, uint8_t, 0, UINT8_MAX, within, SAME, cast_store_bytes)
CAST_LANES(I8, int8_t, INT8_MIN, INT8_MAX, NUMBER, BYTE, cast_store_bytes)
CAST_LANES(U16, uint16_t, 0, UINT16_MAX, within, SAME, cast_store_words)
CAST_LANES(I16, int16_t, INT16_MIN, INT16_MAX, NUMBER, WORD, cast_store_words)
#undef SAME
#undef BYTE
#undef WORD
#undef NUMBER
#undef CAST_LANES

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
