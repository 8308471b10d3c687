#include "datasets/convert.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "base/half.h"

static const tare_dtype NUMBERS[] = {[TAREI_NUMBER_I64] = TARE_I64,
                                     [TAREI_NUMBER_U64] = TARE_U64,
                                     [TAREI_NUMBER_F64] = TARE_F64,
                                     [TAREI_NUMBER_F32] = TARE_F32};

size_t tarei_number_size(const tarei_number number) {
  return tare_dtype_size(NUMBERS[number]);
}

bool tarei_number_is(const tarei_number number, const tare_dtype dtype) {
  return NUMBERS[number] == dtype;
}

tare_dtype tarei_number_label(const tarei_number number) {
  return number == TAREI_NUMBER_F32 || number == TAREI_NUMBER_F64 ? NUMBERS[number] : TARE_I64;
}

/* A member converts n values and gives the index of the first that does not fit, or n. */
typedef struct member {
  tare_dtype dtype;
  int64_t (*from_i64)(const int64_t *in, int64_t n, void *out);
  int64_t (*from_f32)(const float *in, int64_t n, void *out);
  int64_t (*from_f64)(const double *in, int64_t n, void *out);
} member;

#define INTEGER_OF_REAL(name, suffix, source, type, min, max)                                     \
  static int64_t name##_from_##suffix(const source *const in, const int64_t n, void *const out) { \
    type *const to = out;                                                                         \
    for (int64_t i = 0; i < n; i++) {                                                             \
      const double x = (double)in[i];                                                             \
      if (!(x >= (double)(min) && x < (double)(max) + 1.0) || x != trunc(x)) {                    \
        return i;                                                                                 \
      }                                                                                           \
      to[i] = (type)x;                                                                            \
    }                                                                                             \
    return n;                                                                                     \
  }
#define INTEGER(name, type, min, max)                                                         \
  static int64_t name##_from_i64(const int64_t *const in, const int64_t n, void *const out) { \
    type *const to = out;                                                                     \
    for (int64_t i = 0; i < n; i++) {                                                         \
      if (in[i] < (min) || in[i] > (max)) {                                                   \
        return i;                                                                             \
      }                                                                                       \
      to[i] = (type)in[i];                                                                    \
    }                                                                                         \
    return n;                                                                                 \
  }                                                                                           \
  INTEGER_OF_REAL(name, f32, float, type, min, max)                                           \
  INTEGER_OF_REAL(name, f64, double, type, min, max)

INTEGER(i8, int8_t, INT8_MIN, INT8_MAX)
INTEGER(i16, int16_t, INT16_MIN, INT16_MAX)
INTEGER(i32, int32_t, INT32_MIN, INT32_MAX)
INTEGER(i64, int64_t, INT64_MIN, INT64_MAX)
INTEGER(u8, uint8_t, 0, UINT8_MAX)
INTEGER(u16, uint16_t, 0, UINT16_MAX)
INTEGER(u32, uint32_t, 0, UINT32_MAX)
INTEGER(u64, uint64_t, 0, INT64_MAX)
INTEGER(boolean, uint8_t, 0, 1)

static float same_float(const float x) {
  return x;
}
static double same_double(const double x) {
  return x;
}

/* `put` makes the stored element, `back` widens it again to see whether it overflowed. */
#define FLOATING_OF(name, suffix, source, type, wide, put, back)                                  \
  static int64_t name##_from_##suffix(const source *const in, const int64_t n, void *const out) { \
    type *const to = out;                                                                         \
    for (int64_t i = 0; i < n; i++) {                                                             \
      to[i] = put((wide)in[i]);                                                                   \
      if (!isfinite(back(to[i]))) {                                                               \
        return i;                                                                                 \
      }                                                                                           \
    }                                                                                             \
    return n;                                                                                     \
  }
#define FLOATING(name, type, wide, put, back)            \
  FLOATING_OF(name, i64, int64_t, type, wide, put, back) \
  FLOATING_OF(name, f32, float, type, wide, put, back)   \
  FLOATING_OF(name, f64, double, type, wide, put, back)

FLOATING(f16, uint16_t, float, tarei_float_to_f16, tarei_f16_to_float)
FLOATING(bf16, uint16_t, float, tarei_float_to_bf16, tarei_bf16_to_float)
FLOATING(f32, float, float, same_float, same_float)
FLOATING(f64, double, double, same_double, same_double)

#define MEMBER(dtype, name) \
  { dtype, name##_from_i64, name##_from_f32, name##_from_f64 }
static const member MEMBERS[] = {
    MEMBER(TARE_F32, f32),      MEMBER(TARE_F64, f64), MEMBER(TARE_F16, f16),
    MEMBER(TARE_BF16, bf16),    MEMBER(TARE_I8, i8),   MEMBER(TARE_I16, i16),
    MEMBER(TARE_I32, i32),      MEMBER(TARE_I64, i64), MEMBER(TARE_U8, u8),
    MEMBER(TARE_U16, u16),      MEMBER(TARE_U32, u32), MEMBER(TARE_U64, u64),
    MEMBER(TARE_BOOL, boolean),
};
enum { N_MEMBERS = sizeof MEMBERS / sizeof *MEMBERS };
#define COUNT_DTYPE(name, value, bytes, text) +1
_Static_assert(N_MEMBERS == 0 TARE_DTYPE_LIST(COUNT_DTYPE), "every element type has a member");

static const member *find_member(const tare_dtype dtype) {
  int i = 0;
  while (i < N_MEMBERS && MEMBERS[i].dtype != dtype) {
    i++;
  }
  assert(i < N_MEMBERS);
  return &MEMBERS[i];
}

static tare_status fail_float(const double value, const int64_t i, const tare_dtype dtype,
                              tare_error *const err) {
  if (!isfinite(value)) {
    return tarei_fail(err, TARE_E_INPUT, "value %g at element %lld is not finite", value,
                      (long long)i);
  }
  const char *const rule =
      value != trunc(value) ? "is not an integer, as needed by" : "does not fit";
  return tarei_fail(err, TARE_E_INPUT, "value %.9g at element %lld %s %s", value, (long long)i,
                    rule, tare_dtype_name(dtype));
}

static tare_status convert_f64(const double *const values, const int64_t count,
                               const tare_dtype dtype, void *const out, tare_error *const err) {
  const int64_t i = find_member(dtype)->from_f64(values, count, out);
  return i == count ? TARE_OK : fail_float(values[i], i, dtype, err);
}

static tare_status convert_f32(const float *const values, const int64_t count,
                               const tare_dtype dtype, void *const out, tare_error *const err) {
  const int64_t i = find_member(dtype)->from_f32(values, count, out);
  return i == count ? TARE_OK : fail_float((double)values[i], i, dtype, err);
}

static tare_status convert_i64(const int64_t *const values, const int64_t count,
                               const tare_dtype dtype, void *const out, tare_error *const err) {
  const int64_t i = find_member(dtype)->from_i64(values, count, out);
  return i == count ? TARE_OK
                    : tarei_fail(err, TARE_E_INPUT, "value %lld at element %lld does not fit %s",
                                 (long long)values[i], (long long)i, tare_dtype_name(dtype));
}

tare_status tarei_convert(const tarei_number number, const void *const values, const int64_t count,
                          const tare_dtype dtype, void *const out, tare_error *const err) {
  if (number == TAREI_NUMBER_F64) {
    return convert_f64(values, count, dtype, out, err);
  }
  if (number == TAREI_NUMBER_F32) {
    return convert_f32(values, count, dtype, out, err);
  }
  for (int64_t i = 0; number == TAREI_NUMBER_U64 && i < count; i++) {
    const uint64_t value = ((const uint64_t *)values)[i];
    if (value > INT64_MAX) {
      return tarei_fail(err, TARE_E_INPUT, "value %llu at element %lld is larger than an int64",
                        (unsigned long long)value, (long long)i);
    }
  }
  return convert_i64(values, count, dtype, out, err);
}
