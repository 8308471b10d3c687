#include "engine/lower/elementwise/typed_binary.h"

#include <float.h>

#include "kernels/typed.h"

/* One loop for each way in which the operands step, so that compilers make vectors of them. */
#define PAIR(name, type, result, expression)                                      \
  static void name(const void *const a, const size_t a_step, const void *const b, \
                   const size_t b_step, const size_t n, void *const to) {         \
    result *const out = to;                                                       \
    if (a_step && b_step) {                                                       \
      for (size_t i = 0; i < n; i++) {                                            \
        const type x = ((const type *)a)[i], y = ((const type *)b)[i];            \
        out[i] = (result)(expression);                                            \
      }                                                                           \
    } else if (a_step) {                                                          \
      const type y = *(const type *)b;                                            \
      for (size_t i = 0; i < n; i++) {                                            \
        const type x = ((const type *)a)[i];                                      \
        out[i] = (result)(expression);                                            \
      }                                                                           \
    } else {                                                                      \
      const type x = *(const type *)a;                                            \
      for (size_t i = 0; i < n; i++) {                                            \
        const type y = ((const type *)b)[i * b_step];                             \
        out[i] = (result)(expression);                                            \
      }                                                                           \
    }                                                                             \
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

/* Quotients of 32 bits by doubles, which the compiler makes vectors of. They are exact: the
 * distance of a quotient to the next whole number is larger than what a double rounds. */
#define QUOTIENT(type, x, y) \
  (sizeof(type) == 4 ? (type)((double)(x) / (double)(y)) : (type)((x) / (y)))

/* The least number divided by -1 is itself. */
#define SIGNED(dtype, type, wide)                                    \
  static inline type quotient_##dtype(const type x, const type y) {  \
    const type q = QUOTIENT(type, x, y == -1 ? (type)1 : y);         \
    return y == -1 ? (type)(0 - (wide)q) : q;                        \
  }                                                                  \
  static inline type rest_##dtype(const type x, const type y) {      \
    return (type)((wide)x - (wide)quotient_##dtype(x, y) * (wide)y); \
  }                                                                  \
  static inline type floor_mod_##dtype(const type x, const type y) { \
    const type r = rest_##dtype(x, y);                               \
    return r != 0 && (r < 0) != (y < 0) ? (type)(r + y) : r;         \
  }                                                                  \
  PAIR(div_##dtype, type, type, quotient_##dtype(x, y))              \
  PAIR(fmod_##dtype, type, type, rest_##dtype(x, y))                 \
  PAIR(mod_##dtype, type, type, floor_mod_##dtype(x, y))             \
  PAIR(prelu_##dtype, type, type, x < 0 ? (type)((wide)x * (wide)y) : x)
TAREI_SIGNED_TYPES(SIGNED)

#define UNSIGNED(dtype, type, wide)    \
  PAIR(div_##dtype, type, type, x / y) \
  PAIR(mod_##dtype, type, type, x % y) \
  PAIR(prelu_##dtype, type, type, ((void)y, x))
TAREI_UNSIGNED_TYPES(UNSIGNED)

/* --- floats and bools ------------------------------------------------------------------------- */
PAIR(equal_F32, float, uint8_t, x == y)
PAIR(equal_F64, double, uint8_t, x == y)
/* fmod of floats: exact too where a double has the product of quotient and divisor, or where the
 * quotient was rounded up to a whole number, which the last line takes back. */
static inline float rest_of_floats(const float x, const float y) {
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
PAIR(pair_xor, uint8_t, uint8_t, (x != 0) ^ (y != 0))

/* --- the table -------------------------------------------------------------------------------- */
#define WRAPPING_ROWS(fn) \
  { TAREI_INTEGER_ROWS(fn), TAREI_ROW(fn, F64) }
#define NUMBER_ROWS(fn) \
  { TAREI_UNSIGNED_ROWS(fn), TAREI_SIGNED_ROWS(fn), TAREI_ROW(fn, F64) }
#define ORDERED_ROWS(fn) \
  { TAREI_UNSIGNED_ROWS(fn), TAREI_SIGNED_ROWS(fn), TAREI_ROW(fn, F32), TAREI_ROW(fn, F64) }
#define BIT_ROWS(fn) \
  { TAREI_INTEGER_ROWS(fn) }

static tarei_pair_fn *const rows[TAREI_PAIR_COUNT][TAREI_DTYPES] = {
    [TAREI_PAIR_ADD] = WRAPPING_ROWS(add),
    [TAREI_PAIR_SUB] = WRAPPING_ROWS(sub),
    [TAREI_PAIR_MUL] = WRAPPING_ROWS(mul),
    [TAREI_PAIR_DIV] = NUMBER_ROWS(div),
    [TAREI_PAIR_MIN] = NUMBER_ROWS(min),
    [TAREI_PAIR_MAX] = NUMBER_ROWS(max),
    [TAREI_PAIR_PRELU] = NUMBER_ROWS(prelu),
    [TAREI_PAIR_MOD] = {TAREI_UNSIGNED_ROWS(mod), TAREI_SIGNED_ROWS(mod)},
    [TAREI_PAIR_FMOD] = {TAREI_UNSIGNED_ROWS(mod), TAREI_SIGNED_ROWS(fmod), TAREI_ROW(fmod, F32),
                         TAREI_ROW(fmod, F64)},
    [TAREI_PAIR_EQUAL] = {TAREI_INTEGER_ROWS(equal), TAREI_ROW(equal, F32),
                          TAREI_ROW(equal, F64), [TARE_BOOL] = equal_U8},
    [TAREI_PAIR_LESS] = ORDERED_ROWS(less),
    [TAREI_PAIR_LESS_OR_EQUAL] = ORDERED_ROWS(less_or_equal),
    [TAREI_PAIR_GREATER] = ORDERED_ROWS(greater),
    [TAREI_PAIR_GREATER_OR_EQUAL] = ORDERED_ROWS(greater_or_equal),
    [TAREI_PAIR_AND] = {[TARE_BOOL] = both},
    [TAREI_PAIR_OR] = {[TARE_BOOL] = either},
    [TAREI_PAIR_XOR] = {[TARE_BOOL] = pair_xor},
    [TAREI_PAIR_BITWISE_AND] = BIT_ROWS(bit_and),
    [TAREI_PAIR_BITWISE_OR] = BIT_ROWS(bit_or),
    [TAREI_PAIR_BITWISE_XOR] = BIT_ROWS(bit_xor),
    [TAREI_PAIR_SHIFT_LEFT] = {TAREI_UNSIGNED_ROWS(left)},
    [TAREI_PAIR_SHIFT_RIGHT] = {TAREI_UNSIGNED_ROWS(right)},
};

tarei_pair_fn *tarei_pair_of(const tarei_pair pair, const tare_dtype dtype) {
  return (unsigned)dtype < TAREI_DTYPES ? rows[pair][dtype] : NULL;
}

/* --- divisors --------------------------------------------------------------------------------- */
tare_status tarei_want_divisor(const tarei_step *const step, const tarei_run *const run,
                               const int i, tare_error *const err) {
  const tare_tensor *const t = run->in[i];
  if (t->dtype == TARE_F32 || t->dtype == TARE_F64 || tare_tensor_count(run->out[0]) == 0) {
    return TARE_OK;
  }
  enum { BLOCK = 512 };
  static const uint64_t zero = 0;
  tarei_pair_fn *const equal = tarei_pair_of(TAREI_PAIR_EQUAL, t->dtype);
  const size_t n = (size_t)tare_tensor_count(t), size = tare_dtype_size(t->dtype);
  for (size_t at = 0; at < n; at += BLOCK) {
    uint8_t hits[BLOCK], any = 0;
    const size_t m = n - at < BLOCK ? n - at : BLOCK;
    equal((const char *)t->data + at * size, 1, &zero, 0, m, hits);
    for (size_t k = 0; k < m; k++) {
      any |= hits[k];
    }
    if (any) {
      return tarei_fail(err, TARE_E_INPUT, "integer division by 0 in '%s'",
                        step->graph->values[step->node->in[i]].name);
    }
  }
  return TARE_OK;
}
