/* Pow. Base and exponent may differ in type; the result has that of the base. */
#include <math.h>

#include "engine/lower/elementwise/elementwise.h"
#include "engine/lower/operands.h"
#include "kernels/typed.h"

#define BLOCK 256 /* exponents that are converted at a time */

/* n exponents, `step` elements apart. */
typedef void float_exponents_fn(const void *b, size_t step, size_t n, double *out);
typedef void int_exponents_fn(const void *b, size_t step, size_t n, int64_t *out);

#define CONVERT(name, type, result, mask)                                                       \
  static void name(const void *const b, const size_t step, const size_t n, result *const out) { \
    for (size_t i = 0; i < n; i++) {                                                            \
      out[i] = (result)(((const type *)b)[i * step] mask);                                      \
    }                                                                                           \
  }
#define FLOAT_EXPONENTS(dtype, type, wide) CONVERT(floats_##dtype, type, double, )
#define SIGNED_EXPONENTS(dtype, type, wide) CONVERT(ints_##dtype, type, int64_t, )
/* Only sign, oddness and size of an exponent matter, and not the size of such large ones. */
#define UNSIGNED_EXPONENTS(dtype, type, wide) CONVERT(ints_##dtype, type, int64_t, &INT64_MAX)
TAREI_INTEGER_TYPES(FLOAT_EXPONENTS)
TAREI_FLOAT_TYPES(FLOAT_EXPONENTS)
TAREI_SIGNED_TYPES(SIGNED_EXPONENTS)
TAREI_UNSIGNED_TYPES(UNSIGNED_EXPONENTS)

static float_exponents_fn *const float_exponents[TAREI_DTYPES] = {
    TAREI_SIGNED_ROWS(floats), TAREI_UNSIGNED_ROWS(floats), TAREI_ROW(floats, F32),
    TAREI_ROW(floats, F64)};
static int_exponents_fn *const int_exponents[TAREI_DTYPES] = {TAREI_SIGNED_ROWS(ints),
                                                              TAREI_UNSIGNED_ROWS(ints)};

typedef struct pow_state {
  tarei_broadcast_fn row;
  float_exponents_fn *floats;
  int_exponents_fn *ints;
} pow_state;

typedef struct pow_job {
  const tarei_run *run;
  const pow_state *state;
  const void *a;
  const char *b;
  void *out;
  size_t exponent_size; /* bytes */
} pow_job;

static void kernel_row(const void *const user, const tarei_broadcast *const b, const size_t at,
                       const size_t *const offset) {
  const pow_job *const j = user;
  j->run->kernels->binary(TAREI_BINARY_POW, (const float *)j->a + offset[0], b->step[0],
                          (const float *)(const void *)j->b + offset[1], b->step[1], b->n,
                          (float *)j->out + at);
}

/* x^y by squaring; what is too large wraps, what is no integer is 0. */
static uint64_t int_power(const int64_t x, int64_t y) {
  if (y < 0) {
    return x == 1 || (x == -1 && y % 2 == 0) ? 1 : x == -1 ? (uint64_t)-1 : 0;
  }
  uint64_t result = 1;
  for (uint64_t square = (uint64_t)x; y > 0; y >>= 1, square *= square) {
    result *= y & 1 ? square : 1;
  }
  return result;
}

static int64_t saturate(const double x, const int64_t lowest, const int64_t highest) {
  const int64_t whole = tarei_saturate_i64(x);
  return whole < lowest ? lowest : whole > highest ? highest : whole;
}

/* `convert` says which of the state's functions reads the exponents, as `exponent`. */
#define POWER_ROW(name, type, exponent, convert, expression)                                       \
  static void name(const void *const user, const tarei_broadcast *const b, const size_t at,        \
                   const size_t *const offset) {                                                   \
    const pow_job *const j = user;                                                                 \
    const type *const base = (const type *)j->a + offset[0];                                       \
    type *const out = (type *)j->out + at;                                                         \
    exponent exponents[BLOCK];                                                                     \
    for (size_t first = 0; first < b->n; first += BLOCK) {                                         \
      const size_t m = b->n - first < BLOCK ? b->n - first : BLOCK;                                \
      j->state->convert(j->b + (offset[1] + first * b->step[1]) * j->exponent_size, b->step[1], m, \
                        exponents);                                                                \
      for (size_t i = 0; i < m; i++) {                                                             \
        const type x = base[(first + i) * b->step[0]];                                             \
        const exponent y = exponents[i];                                                           \
        out[first + i] = (type)(expression);                                                       \
      }                                                                                            \
    }                                                                                              \
  }
POWER_ROW(f32_row, float, double, floats, pow((double)x, y))
POWER_ROW(f64_row, double, double, floats, y == 2 ? x * x : pow(x, y))
POWER_ROW(i32_row, int32_t, int64_t, ints, int_power(x, y))
POWER_ROW(i64_row, int64_t, int64_t, ints, int_power(x, y))
POWER_ROW(i32_by_float_row, int32_t, double, floats,
          saturate(pow((double)x, y), INT32_MIN, INT32_MAX))
POWER_ROW(i64_by_float_row, int64_t, double, floats, tarei_saturate_i64(pow((double)x, y)))

static tarei_broadcast_fn row_of(const tare_dtype base, const tare_dtype exponent) {
  static const struct {
    tare_dtype base;
    tarei_broadcast_fn by_int, by_float;
  } rows[] = {
      {TARE_F32, f32_row, f32_row},
      {TARE_F64, f64_row, f64_row},
      {TARE_I32, i32_row, i32_by_float_row},
      {TARE_I64, i64_row, i64_by_float_row},
  };
  if (base == TARE_F32 && exponent == TARE_F32) {
    return kernel_row;
  }
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i].base == base && float_exponents[exponent]) {
      return int_exponents[exponent] ? rows[i].by_int : rows[i].by_float;
    }
  }
  return NULL;
}

static tare_status pow_prepare(tarei_step *const step, tarei_blobs *const blobs,
                               tare_error *const err) {
  (void)blobs;
  const tare_dtype base = step->graph->values[step->node->in[0]].dtype;
  const tare_dtype exponent = step->graph->values[step->node->in[1]].dtype;
  pow_state *const s = step->state;
  *s = (pow_state){.row = row_of(base, exponent),
                   .floats = float_exponents[exponent],
                   .ints = int_exponents[exponent]};
  return s->row ? TARE_OK
                : tarei_fail(err, TARE_E_UNSUPPORTED, "%s to the power of %s is not supported",
                             tare_dtype_name(base), tare_dtype_name(exponent));
}

static tare_status pow_run(const tarei_step *const step, const tarei_run *const r,
                           tare_error *const err) {
  tarei_broadcast layout;
  TAREI_TRY(tarei_broadcast_read(r->in, 2, r->out[0], &layout, err));
  const pow_job j = {.run = r,
                     .state = step->state,
                     .a = r->in[0]->data,
                     .b = r->in[1]->data,
                     .out = r->out[0]->data,
                     .exponent_size = tare_dtype_size(r->in[1]->dtype)};
  tarei_broadcast_run(&layout, r, j.state->row, &j);
  return TARE_OK;
}

static const char *pow_kernel(const tarei_step *const step, const tarei_kernels *const k) {
  return ((const pow_state *)step->state)->row == kernel_row ? k->binary_name : "";
}

const tarei_lowering tarei_lower_pow = {
    .state_bytes = sizeof(pow_state), .prepare = pow_prepare, .run = pow_run, .kernel = pow_kernel};
