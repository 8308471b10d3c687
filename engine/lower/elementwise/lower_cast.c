/* Cast between all element types, through double (floats) or int64 (integers); each rounds once.
 * Floats become integers by truncation, saturated to the type's range; NaN becomes 0. */
#include <math.h>
#include <string.h>

#include "base/half.h"
#include "engine/lower/elementwise/elementwise.h"

typedef double (*load_fn)(const void *x, size_t i);
typedef void (*store_fn)(void *out, size_t i, double x);
typedef int64_t (*load_int_fn)(const void *x, size_t i);
typedef void (*store_int_fn)(void *out, size_t i, int64_t x);

#define INTEGER(name, type, lowest, highest)                                       \
  static double load_##name(const void *const x, const size_t i) {                 \
    return (double)((const type *)x)[i];                                           \
  }                                                                                \
  static void store_##name(void *const out, const size_t i, const double x) {      \
    ((type *)out)[i] = isnan(x)               ? (type)0                            \
                       : x <= (double)lowest  ? (type)lowest                       \
                       : x >= (double)highest ? (type)highest                      \
                                              : (type)x;                           \
  }                                                                                \
  static int64_t load_int_##name(const void *const x, const size_t i) {            \
    return (int64_t)((const type *)x)[i];                                          \
  }                                                                                \
  static void store_int_##name(void *const out, const size_t i, const int64_t x) { \
    ((type *)out)[i] = (type)x;                                                    \
  }
INTEGER(u8, uint8_t, 0, UINT8_MAX)
INTEGER(i8, int8_t, INT8_MIN, INT8_MAX)
INTEGER(u16, uint16_t, 0, UINT16_MAX)
INTEGER(i16, int16_t, INT16_MIN, INT16_MAX)
INTEGER(u32, uint32_t, 0, UINT32_MAX)
INTEGER(i32, int32_t, INT32_MIN, INT32_MAX)
INTEGER(u64, uint64_t, 0, UINT64_MAX)
INTEGER(i64, int64_t, INT64_MIN, INT64_MAX)

static double load_f32(const void *const x, const size_t i) {
  return (double)((const float *)x)[i];
}
static void store_f32(void *const out, const size_t i, const double x) {
  ((float *)out)[i] = (float)x;
}
static double load_f64(const void *const x, const size_t i) {
  return ((const double *)x)[i];
}
static void store_f64(void *const out, const size_t i, const double x) {
  ((double *)out)[i] = x;
}
static double load_f16(const void *const x, const size_t i) {
  return (double)tarei_f16_to_float(((const uint16_t *)x)[i]);
}
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

static void store_f16(void *const out, const size_t i, const double x) {
  ((uint16_t *)out)[i] = tarei_float_to_f16(odd_float(x));
}
static double load_bf16(const void *const x, const size_t i) {
  return (double)tarei_bf16_to_float(((const uint16_t *)x)[i]);
}
static void store_bf16(void *const out, const size_t i, const double x) {
  ((uint16_t *)out)[i] = tarei_float_to_bf16(odd_float(x));
}
static void store_bool(void *const out, const size_t i, const double x) {
  ((uint8_t *)out)[i] = x != 0;
}
static void store_int_bool(void *const out, const size_t i, const int64_t x) {
  ((uint8_t *)out)[i] = x != 0;
}

/* Integers go through int64 among themselves, so that no bit is lost. */
typedef struct access {
  load_fn load;
  store_fn store;
  load_int_fn load_int;
  store_int_fn store_int;
} access;

static const access *access_of(const tare_dtype dtype) {
  static const access table[] = {
      [TARE_F32] = {load_f32, store_f32, NULL, NULL},
      [TARE_U8] = {load_u8, store_u8, load_int_u8, store_int_u8},
      [TARE_I8] = {load_i8, store_i8, load_int_i8, store_int_i8},
      [TARE_U16] = {load_u16, store_u16, load_int_u16, store_int_u16},
      [TARE_I16] = {load_i16, store_i16, load_int_i16, store_int_i16},
      [TARE_I32] = {load_i32, store_i32, load_int_i32, store_int_i32},
      [TARE_I64] = {load_i64, store_i64, load_int_i64, store_int_i64},
      [TARE_BOOL] = {load_u8, store_bool, load_int_u8, store_int_bool},
      [TARE_F16] = {load_f16, store_f16, NULL, NULL},
      [TARE_F64] = {load_f64, store_f64, NULL, NULL},
      [TARE_U32] = {load_u32, store_u32, load_int_u32, store_int_u32},
      [TARE_U64] = {load_u64, store_u64, load_int_u64, store_int_u64},
      [TARE_BF16] = {load_bf16, store_bf16, NULL, NULL},
  };
  return &table[dtype];
}

typedef struct cast_job {
  const access *from, *to;
  const void *x;
  void *out;
} cast_job;

/* Integers of 64 bits have more digits than a double: they become float at once. */
static void round_integers(const cast_job *const j, const size_t first, const size_t n) {
  const bool unsigned_wide = j->from->load_int == load_int_u64;
  for (size_t i = first; i < first + n; i++) {
    const int64_t x = j->from->load_int(j->x, i);
    ((float *)j->out)[i] = unsigned_wide ? (float)(uint64_t)x : (float)x;
  }
}

static void cast_chunk(const void *const user, const size_t first, const size_t n) {
  const cast_job *const j = user;
  const bool integers = j->from->load_int && j->to->store_int;
  if (j->from->load_int && j->to->store == store_f32) {
    round_integers(j, first, n);
    return;
  }
  for (size_t i = first; i < first + n; i++) {
    if (integers) {
      j->to->store_int(j->out, i, j->from->load_int(j->x, i));
    } else {
      j->to->store(j->out, i, j->from->load(j->x, i));
    }
  }
}

static tare_status cast_run(const tarei_step *const step, const tarei_run *const r,
                            tare_error *const err) {
  (void)step;
  (void)err;
  const cast_job j = {access_of(r->in[0]->dtype), access_of(r->out[0]->dtype), r->in[0]->data,
                      r->out[0]->data};
  tarei_chunks(r, (size_t)tare_tensor_count(r->in[0]), cast_chunk, &j);
  return TARE_OK;
}

const tarei_lowering tarei_lower_cast = {.run = cast_run};
