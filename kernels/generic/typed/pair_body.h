/* Functions of two numbers of any type. Plain loops, of which the compiler makes vectors for each
 * ISA. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/generic/v16.h"
#include "kernels/typed.h"

/* One loop for each way in which the operands step, so that compilers make vectors of them. */
#define PAIR(name, type, result, expression)                                                      \
  static void TAREI_K(name)(const void *a, size_t a_step, const void *b, size_t b_step, size_t n, \
                            void *to) {                                                           \
    result *const out = to;                                                                       \
    if (a_step && b_step) {                                                                       \
      for (size_t i = 0; i < n; i++) {                                                            \
        const type x = ((const type *)a)[i], y = ((const type *)b)[i];                            \
        out[i] = (result)(expression);                                                            \
      }                                                                                           \
    } else if (a_step) {                                                                          \
      const type y = *(const type *)b;                                                            \
      for (size_t i = 0; i < n; i++) {                                                            \
        const type x = ((const type *)a)[i];                                                      \
        out[i] = (result)(expression);                                                            \
      }                                                                                           \
    } else {                                                                                      \
      const type x = *(const type *)a;                                                            \
      for (size_t i = 0; i < n; i++) {                                                            \
        const type y = ((const type *)b)[i * b_step];                                             \
        out[i] = (result)(expression);                                                            \
      }                                                                                           \
    }                                                                                             \
  }

/* --- what wraps or works on bits: signed integers as unsigned ones ---------------------------- */
#define WRAPPING(dtype, type, wide)                                        \
  PAIR(add_##dtype, type, type, (wide)x + (wide)y)                         \
  PAIR(sub_##dtype, type, type, (wide)x - (wide)y)                         \
  PAIR(mul_##dtype, type, type, (wide)x *(wide)y)                          \
  PAIR(bit_and_##dtype, type, type, x &y)                                  \
  PAIR(bit_or_##dtype, type, type, x | y)                                  \
  PAIR(bit_xor_##dtype, type, type, x ^ y)                                 \
  PAIR(left_##dtype, type, type, y < 8 * sizeof(type) ? (wide)x << y : 0)  \
  PAIR(right_##dtype, type, type, y < 8 * sizeof(type) ? (wide)x >> y : 0) \
  PAIR(equal_##dtype, type, uint8_t, x == y)
TAREI_UNSIGNED_TYPES(WRAPPING)

/* --- all integers ----------------------------------------------------------------------------- */
#define ORDERED(dtype, type, wide)                   \
  PAIR(less_##dtype, type, uint8_t, x < y)           \
  PAIR(less_or_equal_##dtype, type, uint8_t, x <= y) \
  PAIR(greater_##dtype, type, uint8_t, x > y)        \
  PAIR(greater_or_equal_##dtype, type, uint8_t, x >= y)
TAREI_INTEGER_TYPES(ORDERED)
TAREI_FLOAT_TYPES(ORDERED)

#define EXTREMES(dtype, type, wide)            \
  PAIR(min_##dtype, type, type, x < y ? x : y) \
  PAIR(max_##dtype, type, type, x > y ? x : y)
TAREI_INTEGER_TYPES(EXTREMES)

#define SLOPES(dtype, type, wide) \
  PAIR(prelu_##dtype, type, type, x < 0 ? (type)((wide)x * (wide)y) : x)
TAREI_SIGNED_TYPES(SLOPES)
#define SAME(dtype, type, wide) PAIR(prelu_##dtype, type, type, ((void)y, x))
TAREI_UNSIGNED_TYPES(SAME)

/* --- quotients of integers -------------------------------------------------------------------- */
/* X(dtype, type, wide, real, quotient): up to 32 bits by reals, which the compiler makes vectors
 * of. Cutting them off is exact: a quotient that is not whole lies further from the next whole
 * number than rounding moves it. The least int32 divided by -1 does not fit, and stays as it is.
 */
#define SIGNED_BY_REALS(X)                                  \
  X(I8, int8_t, uint32_t, (int32_t)((float)x / (float)y))   \
  X(I16, int16_t, uint32_t, (int32_t)((float)x / (float)y)) \
  X(I32, int32_t, uint32_t, quotient_of_i32(x, y))
#define UNSIGNED_BY_REALS(X)                                 \
  X(U8, uint8_t, uint32_t, (int32_t)((float)x / (float)y))   \
  X(U16, uint16_t, uint32_t, (int32_t)((float)x / (float)y)) \
  X(U32, uint32_t, uint32_t, (double)x / (double)y)

TAREI_INLINE int32_t quotient_of_i32(int32_t x, int32_t y) {
  const int32_t q = (int32_t)((double)x / (double)(y == -1 ? 1 : y));
  return y == -1 ? (int32_t)(0 - (uint32_t)q) : q;
}

#define SIGNED_QUOTIENTS(dtype, type, wide, quotient)        \
  TAREI_INLINE type rest_of_##dtype(type x, type y) {        \
    return (type)((wide)x - (wide)(quotient) * (wide)y);     \
  }                                                          \
  TAREI_INLINE type floor_rest_of_##dtype(type x, type y) {  \
    const type r = rest_of_##dtype(x, y);                    \
    return r != 0 && (r < 0) != (y < 0) ? (type)(r + y) : r; \
  }                                                          \
  PAIR(div_##dtype, type, type, quotient)                    \
  PAIR(fmod_##dtype, type, type, rest_of_##dtype(x, y))      \
  PAIR(mod_##dtype, type, type, floor_rest_of_##dtype(x, y))
SIGNED_BY_REALS(SIGNED_QUOTIENTS)

#define UNSIGNED_QUOTIENTS(dtype, type, wide, quotient) \
  PAIR(div_##dtype, type, type, quotient)               \
  PAIR(mod_##dtype, type, type, (wide)x - (wide)(type)(quotient) * (wide)y)
UNSIGNED_BY_REALS(UNSIGNED_QUOTIENTS)

/* Of 64 bits most numbers are small. Where all of a block are below 2^51, doubles do the same for
 * them; added to this one, they leave their integer in its low bits. */
#define NEAR_LIMIT 51
#define NEAR_ORIGIN 0x1.8p52
#define NEAR_ORIGIN_BITS UINT64_C(0x4338000000000000)
enum { NEAR_BLOCK = 128 };

TAREI_INLINE double near_as_double(uint64_t x) {
  const uint64_t bits = x + NEAR_ORIGIN_BITS;
  double sum;
  memcpy(&sum, &bits, sizeof sum);
  return sum - NEAR_ORIGIN;
}

/* x is whole */
TAREI_INLINE uint64_t near_as_integer(double x) {
  const double sum = x + NEAR_ORIGIN;
  uint64_t bits;
  memcpy(&bits, &sum, sizeof bits);
  return bits - NEAR_ORIGIN_BITS;
}

TAREI_INLINE double near_rest(double x, double y) {
  return x - trunc(x / y) * y;
}

TAREI_INLINE double near_floor_rest(double x, double y) {
  const double r = near_rest(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

/* The least number divided by -1 is itself, and has no rest. */
TAREI_INLINE int64_t far_quotient(int64_t x, int64_t y) {
  return y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}

TAREI_INLINE int64_t far_rest(int64_t x, int64_t y) {
  return y == -1 ? 0 : x % y;
}

TAREI_INLINE int64_t far_floor_rest(int64_t x, int64_t y) {
  const int64_t r = far_rest(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

static bool TAREI_K(all_near_I64)(const int64_t *x, size_t step, size_t n) {
  uint64_t bits = 0;
  for (size_t i = 0; i < (step ? n : 1); i++) {
    bits |= (uint64_t)(x[i] ^ x[i] >> 63);
  }
  return bits >> NEAR_LIMIT == 0;
}

static bool TAREI_K(all_near_U64)(const uint64_t *x, size_t step, size_t n) {
  uint64_t bits = 0;
  for (size_t i = 0; i < (step ? n : 1); i++) {
    bits |= x[i];
  }
  return bits >> NEAR_LIMIT == 0;
}

#define NEAR_PAIR(name, dtype, type, near, far)                                                    \
  PAIR(near_##name##_##dtype, uint64_t, uint64_t,                                                  \
       near_as_integer(near(near_as_double(x), near_as_double(y))))                                \
  PAIR(far_##name##_##dtype, type, type, far(x, y))                                                \
  static void TAREI_K(name##_##dtype)(const void *a, size_t a_step, const void *b, size_t b_step,  \
                                      size_t n, void *out) {                                       \
    for (size_t i = 0; i < n; i += NEAR_BLOCK) {                                                   \
      const size_t m = n - i < NEAR_BLOCK ? n - i : NEAR_BLOCK;                                    \
      const type *const x = (const type *)a + i * a_step, *const y = (const type *)b + i * b_step; \
      const bool is_near =                                                                         \
          TAREI_K(all_near_##dtype)(x, a_step, m) && TAREI_K(all_near_##dtype)(y, b_step, m);      \
      (is_near ? TAREI_K(near_##name##_##dtype) : TAREI_K(far_##name##_##dtype))(                  \
          x, a_step, y, b_step, m, (type *)out + i);                                               \
    }                                                                                              \
  }
#define NEAR_QUOTIENT(x, y) trunc((x) / (y))
#define FAR_QUOTIENT(x, y) (x) / (y)
#define FAR_REST(x, y) (x) % (y)
NEAR_PAIR(div, I64, int64_t, NEAR_QUOTIENT, far_quotient)
NEAR_PAIR(fmod, I64, int64_t, near_rest, far_rest)
NEAR_PAIR(mod, I64, int64_t, near_floor_rest, far_floor_rest)
NEAR_PAIR(div, U64, uint64_t, NEAR_QUOTIENT, FAR_QUOTIENT)
NEAR_PAIR(mod, U64, uint64_t, near_rest, FAR_REST)

/* --- floats and bools ------------------------------------------------------------------------- */
PAIR(equal_F32, float, uint8_t, x == y)
PAIR(equal_F64, double, uint8_t, x == y)
/* fmod of floats: exact too where a double has the product of quotient and divisor, or where the
 * quotient was rounded up to a whole number, which the last line takes back. */
TAREI_INLINE float rest_of_floats(float x, float y) {
  const double a = fabs((double)x), b = fabs((double)y), quotient = a / b;
  if (!(quotient < 0x1p29) || b > (double)FLT_MAX) {
    return fmodf(x, y);
  }
  const double rest = a - (double)(int32_t)quotient * b;
  return copysignf((float)(rest < 0 ? rest + b : rest), x);
}
PAIR(fmod_F32, float, float, rest_of_floats(x, y))
PAIR(fmod_F64, double, double, fmod(x, y))
PAIR(add_F64, double, double, x + y)
PAIR(sub_F64, double, double, x - y)
PAIR(mul_F64, double, double, x *y)
PAIR(div_F64, double, double, x / y)
PAIR(min_F64, double, double, x < y || isnan(x) ? x : y)
PAIR(max_F64, double, double, x > y || isnan(x) ? x : y)
PAIR(prelu_F64, double, double, x < 0 ? x * y : x)
PAIR(both, uint8_t, uint8_t, (x != 0) & (y != 0))
PAIR(either, uint8_t, uint8_t, (x != 0) | (y != 0))
PAIR(one_of_both, uint8_t, uint8_t, (x != 0) ^ (y != 0))

/* --- the table -------------------------------------------------------------------------------- */
tarei_pair_row_fn *TAREI_K(tarei_k_pair_any_1)(tarei_pair pair, tare_dtype dtype) {
#define ROW(fn, dtype) [TARE_##dtype] = TAREI_K(fn##_##dtype)
#define UNSIGNED_ROWS(fn) ROW(fn, U8), ROW(fn, U16), ROW(fn, U32), ROW(fn, U64)
#define SIGNED_ROWS(fn) ROW(fn, I8), ROW(fn, I16), ROW(fn, I32), ROW(fn, I64)
/* The same functions for both, where signs do not matter. */
#define BIT_ROWS(fn)                                                               \
  UNSIGNED_ROWS(fn), [TARE_I8] = TAREI_K(fn##_U8), [TARE_I16] = TAREI_K(fn##_U16), \
                     [TARE_I32] = TAREI_K(fn##_U32), [TARE_I64] = TAREI_K(fn##_U64)
#define WRAPPING_ROWS(fn) \
  { BIT_ROWS(fn), ROW(fn, F64) }
#define NUMBER_ROWS(fn) \
  { UNSIGNED_ROWS(fn), SIGNED_ROWS(fn), ROW(fn, F64) }
#define ORDERED_ROWS(fn) \
  { UNSIGNED_ROWS(fn), SIGNED_ROWS(fn), ROW(fn, F32), ROW(fn, F64) }
  static tarei_pair_row_fn *const rows[TAREI_PAIR_COUNT][TAREI_DTYPES] = {
      [TAREI_PAIR_ADD] = WRAPPING_ROWS(add),
      [TAREI_PAIR_SUB] = WRAPPING_ROWS(sub),
      [TAREI_PAIR_MUL] = WRAPPING_ROWS(mul),
      [TAREI_PAIR_DIV] = NUMBER_ROWS(div),
      [TAREI_PAIR_MIN] = NUMBER_ROWS(min),
      [TAREI_PAIR_MAX] = NUMBER_ROWS(max),
      [TAREI_PAIR_PRELU] = NUMBER_ROWS(prelu),
      [TAREI_PAIR_MOD] = {UNSIGNED_ROWS(mod), SIGNED_ROWS(mod)},
      [TAREI_PAIR_FMOD] = {UNSIGNED_ROWS(mod), SIGNED_ROWS(fmod), ROW(fmod, F32), ROW(fmod, F64)},
      [TAREI_PAIR_EQUAL] = {BIT_ROWS(equal), ROW(equal, F32),
                            ROW(equal, F64), [TARE_BOOL] = TAREI_K(equal_U8)},
      [TAREI_PAIR_LESS] = ORDERED_ROWS(less),
      [TAREI_PAIR_LESS_OR_EQUAL] = ORDERED_ROWS(less_or_equal),
      [TAREI_PAIR_GREATER] = ORDERED_ROWS(greater),
      [TAREI_PAIR_GREATER_OR_EQUAL] = ORDERED_ROWS(greater_or_equal),
      [TAREI_PAIR_AND] = {[TARE_BOOL] = TAREI_K(both)},
      [TAREI_PAIR_OR] = {[TARE_BOOL] = TAREI_K(either)},
      [TAREI_PAIR_XOR] = {[TARE_BOOL] = TAREI_K(one_of_both)},
      [TAREI_PAIR_BITWISE_AND] = {BIT_ROWS(bit_and)},
      [TAREI_PAIR_BITWISE_OR] = {BIT_ROWS(bit_or)},
      [TAREI_PAIR_BITWISE_XOR] = {BIT_ROWS(bit_xor)},
      [TAREI_PAIR_SHIFT_LEFT] = {UNSIGNED_ROWS(left)},
      [TAREI_PAIR_SHIFT_RIGHT] = {UNSIGNED_ROWS(right)},
  };
#undef ROW
#undef UNSIGNED_ROWS
#undef SIGNED_ROWS
#undef BIT_ROWS
#undef WRAPPING_ROWS
#undef NUMBER_ROWS
#undef ORDERED_ROWS
  return (unsigned)dtype < TAREI_DTYPES ? rows[pair][dtype] : NULL;
}
#undef PAIR
#undef WRAPPING
#undef ORDERED
#undef EXTREMES
#undef SLOPES
#undef SAME
#undef SIGNED_BY_REALS
#undef UNSIGNED_BY_REALS
#undef SIGNED_QUOTIENTS
#undef UNSIGNED_QUOTIENTS
#undef NEAR_PAIR
#undef NEAR_QUOTIENT
#undef FAR_QUOTIENT
#undef FAR_REST
