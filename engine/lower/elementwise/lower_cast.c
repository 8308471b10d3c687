/* Cast between all element types; each rounds once. Floats become integers by truncation, saturated
 * to the range of the type; NaN becomes 0. Short floats go through blocks of floats. */
#include <math.h>
#include <string.h>

#include "base/half.h"
#include "engine/lower/elementwise/elementwise.h"
#include "engine/lower/elementwise/typed.h"

#define BLOCK 1024 /* elements that are converted in two steps: they stay in L1 */

typedef void convert_fn(const void *x, size_t n, void *out);

#define CONVERT(name, from, to, expression)                                 \
  static void name(const void *const in, const size_t n, void *const out) { \
    for (size_t i = 0; i < n; i++) {                                        \
      const from x = ((const from *)in)[i];                                 \
      ((to *)out)[i] = (expression);                                        \
    }                                                                       \
  }

/* --- between integers, and from integers to floats and bool ----------------------------------- */
#define FROM_INTEGER(dtype, from, wide)                         \
  CONVERT(dtype##_to_U8, from, uint8_t, (uint8_t)x)             \
  CONVERT(dtype##_to_I8, from, int8_t, (int8_t)x)               \
  CONVERT(dtype##_to_U16, from, uint16_t, (uint16_t)x)          \
  CONVERT(dtype##_to_I16, from, int16_t, (int16_t)x)            \
  CONVERT(dtype##_to_U32, from, uint32_t, (uint32_t)x)          \
  CONVERT(dtype##_to_I32, from, int32_t, (int32_t)x)            \
  CONVERT(dtype##_to_U64, from, uint64_t, (uint64_t)(int64_t)x) \
  CONVERT(dtype##_to_I64, from, int64_t, (int64_t)x)            \
  CONVERT(dtype##_to_F32, from, float, (float)x)                \
  CONVERT(dtype##_to_F64, from, double, (double)x)              \
  CONVERT(dtype##_to_BOOL, from, uint8_t, x != 0)
TAREI_INTEGER_TYPES(FROM_INTEGER)

/* --- from floats ------------------------------------------------------------------------------ */

/* Short integers are cut to 32 bits first, which vectors can do. */
#define CUT(from, to, by, lowest, highest) \
  (x != x                 ? (to)0          \
   : x <= (from)(lowest)  ? (to)(lowest)   \
   : x >= (from)(highest) ? (to)(highest)  \
                          : (to)(by)x)
#define FROM_FLOAT(dtype, from, wide)                                                       \
  CONVERT(dtype##_to_U8, from, uint8_t, CUT(from, uint8_t, int32_t, 0, UINT8_MAX))          \
  CONVERT(dtype##_to_I8, from, int8_t, CUT(from, int8_t, int32_t, INT8_MIN, INT8_MAX))      \
  CONVERT(dtype##_to_U16, from, uint16_t, CUT(from, uint16_t, int32_t, 0, UINT16_MAX))      \
  CONVERT(dtype##_to_I16, from, int16_t, CUT(from, int16_t, int32_t, INT16_MIN, INT16_MAX)) \
  CONVERT(dtype##_to_U32, from, uint32_t, CUT(from, uint32_t, uint32_t, 0, UINT32_MAX))     \
  CONVERT(dtype##_to_I32, from, int32_t, CUT(from, int32_t, int32_t, INT32_MIN, INT32_MAX)) \
  CONVERT(dtype##_to_U64, from, uint64_t, CUT(from, uint64_t, uint64_t, 0, UINT64_MAX))     \
  CONVERT(dtype##_to_I64, from, int64_t, CUT(from, int64_t, int64_t, INT64_MIN, INT64_MAX)) \
  CONVERT(dtype##_to_F32, from, float, (float)x)                                            \
  CONVERT(dtype##_to_F64, from, double, (double)x)                                          \
  CONVERT(dtype##_to_BOOL, from, uint8_t, x != 0)
TAREI_FLOAT_TYPES(FROM_FLOAT)

#define TO_ROWS(from)                                                                   \
  {                                                                                     \
    [TARE_U8] = from##_to_U8, [TARE_I8] = from##_to_I8, [TARE_U16] = from##_to_U16,     \
    [TARE_I16] = from##_to_I16, [TARE_U32] = from##_to_U32, [TARE_I32] = from##_to_I32, \
    [TARE_U64] = from##_to_U64, [TARE_I64] = from##_to_I64, [TARE_F32] = from##_to_F32, \
    [TARE_F64] = from##_to_F64, [TARE_BOOL] = from##_to_BOOL                            \
  }
#define FROM_ROW(dtype, type, wide) [TARE_##dtype] = TO_ROWS(dtype),
static convert_fn *const direct[TAREI_DTYPES][TAREI_DTYPES] = {
    TAREI_INTEGER_TYPES(FROM_ROW) TAREI_FLOAT_TYPES(FROM_ROW)[TARE_BOOL] = TO_ROWS(U8)};

/* --- short floats ----------------------------------------------------------------------------- */
CONVERT(widen_bf16, uint16_t, float, tarei_bf16_to_float(x))
CONVERT(narrow_bf16, float, uint16_t, tarei_float_to_bf16(x))

/* The nearest float whose last bit is set where it is not exact: rounded again, to a shorter type,
 * it gives what x itself would. */
static float odd_float(const double x) {
  float y = (float)x;
  if ((double)y == x || isnan(x) || isinf(y)) {
    return y;
  }
  y = fabs((double)y) > fabs(x) ? nextafterf(y, 0) : y;
  uint32_t bits;
  memcpy(&bits, &y, sizeof bits);
  bits |= 1;
  memcpy(&y, &bits, sizeof y);
  return y;
}
CONVERT(round_odd, double, float, odd_float(x))

static bool cast_is_half(const tare_dtype dtype) {
  return dtype == TARE_F16 || dtype == TARE_BF16;
}

/* At most BLOCK elements of one of the two types, or both. */
static void cast_block(const tare_dtype from, const tare_dtype to, const void *const x,
                       const size_t n, void *const out) {
  float floats[BLOCK], rounded[BLOCK];
  double wide[BLOCK];
  const void *source = x;
  if (cast_is_half(from)) {
    from == TARE_F16 ? tarei_f16_to_floats(x, n, floats) : widen_bf16(x, n, floats);
    source = floats;
  }
  const tare_dtype given = cast_is_half(from) ? TARE_F32 : from;
  if (!cast_is_half(to)) {
    direct[given][to](source, n, out);
    return;
  }
  if (given != TARE_F32) {
    direct[given][TARE_F64](source, n, wide);
    round_odd(wide, n, rounded);
    source = rounded;
  }
  to == TARE_F16 ? tarei_floats_to_f16(source, n, out) : narrow_bf16(source, n, out);
}

typedef struct cast_job {
  tare_dtype from, to;
  const char *x;
  char *out;
} cast_job;

static void cast_chunk(const void *const user, const size_t first, const size_t n) {
  const cast_job *const j = user;
  const size_t from = tare_dtype_size(j->from), to = tare_dtype_size(j->to);
  if (!cast_is_half(j->from) && !cast_is_half(j->to)) {
    direct[j->from][j->to](j->x + first * from, n, j->out + first * to);
    return;
  }
  for (size_t i = 0; i < n; i += BLOCK) {
    cast_block(j->from, j->to, j->x + (first + i) * from, n - i < BLOCK ? n - i : BLOCK,
               j->out + (first + i) * to);
  }
}

static tare_status cast_run(const tarei_step *const step, const tarei_run *const r,
                            tare_error *const err) {
  (void)step;
  (void)err;
  const cast_job j = {r->in[0]->dtype, r->out[0]->dtype, r->in[0]->data, r->out[0]->data};
  tarei_chunks(r, (size_t)tare_tensor_count(r->in[0]), cast_chunk, &j);
  return TARE_OK;
}

const tarei_lowering tarei_lower_cast = {.run = cast_run};
