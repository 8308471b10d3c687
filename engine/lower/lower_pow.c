/* Pow. Base and exponent may differ in type; the result has that of the base. */
#include <math.h>

#include "engine/lower/elementwise.h"

typedef struct job {
  const tarei_run *run;
  const void *a, *b;
  void *out;
  tare_dtype exponent;
} job;

static void float_row(const void *const user, const tarei_broadcast *const b, const size_t at,
                      const size_t *const offset) {
  const job *const j = user;
  j->run->kernels->binary(TAREI_BINARY_POW, (const float *)j->a + offset[0], b->step[0],
                          (const float *)j->b + offset[1], b->step[1], b->n,
                          (float *)j->out + at);
}

static double exponent_at(const job *const j, const size_t i) {
  return j->exponent == TARE_F32   ? (double)((const float *)j->b)[i]
         : j->exponent == TARE_I32 ? (double)((const int32_t *)j->b)[i]
                                   : (double)((const int64_t *)j->b)[i];
}

/* Towards zero, within the range of the type; NaN is 0. */
static int64_t saturate(const double x, const int64_t lowest, const int64_t highest) {
  return isnan(x) ? 0 : x <= (double)lowest ? lowest : x >= (double)highest ? highest : (int64_t)x;
}

#define MIXED_ROW(name, type, CONVERT)                                                             \
  static void name(const void *const user, const tarei_broadcast *const b, const size_t at,        \
                   const size_t *const offset) {                                                   \
    const job *const j = user;                                                                     \
    const type *const x = (const type *)j->a + offset[0];                                          \
    type *const out = (type *)j->out + at;                                                         \
    for (size_t i = 0; i < b->n; i++) {                                                            \
      const double y = pow((double)x[i * b->step[0]], exponent_at(j, offset[1] + i * b->step[1])); \
      out[i] = (type)(CONVERT);                                                                    \
    }                                                                                              \
  }
MIXED_ROW(mixed_f32_row, float, y)
MIXED_ROW(mixed_i32_row, int32_t, saturate(y, INT32_MIN, INT32_MAX))
MIXED_ROW(mixed_i64_row, int64_t, saturate(y, INT64_MIN, INT64_MAX))

static tarei_broadcast_fn row_of(const tare_dtype base, const tare_dtype exponent) {
  if (exponent != TARE_F32 && exponent != TARE_I32 && exponent != TARE_I64) {
    return NULL;
  }
  return base == TARE_F32   ? exponent == TARE_F32 ? float_row : mixed_f32_row
         : base == TARE_I32 ? mixed_i32_row
         : base == TARE_I64 ? mixed_i64_row
                            : NULL;
}

static tare_status prepare(tarei_step *const step, tarei_blobs *const blobs,
                           tare_error *const err) {
  (void)blobs;
  const tare_dtype base = step->graph->values[step->node->in[0]].dtype;
  const tare_dtype exponent = step->graph->values[step->node->in[1]].dtype;
  return row_of(base, exponent)
             ? TARE_OK
             : tarei_fail(err, TARE_E_UNSUPPORTED, "%s to the power of %s is not supported here",
                          tare_dtype_name(base), tare_dtype_name(exponent));
}

static tare_status run(const tarei_step *const step, const tarei_run *const r,
                       tare_error *const err) {
  (void)step;
  tarei_broadcast layout;
  TARE_TRY(tarei_broadcast_read(r->in, 2, r->out[0], &layout, err));
  const job j = {r, r->in[0]->data, r->in[1]->data, r->out[0]->data, r->in[1]->dtype};
  tarei_broadcast_run(&layout, r, row_of(r->in[0]->dtype, j.exponent), &j);
  return TARE_OK;
}

static const char *kernel(const tarei_step *const step, const tarei_kernels *const k) {
  return step->graph->values[step->node->in[0]].dtype == TARE_F32 ? k->binary_name : "";
}

const tarei_lowering tarei_lower_pow = {.prepare = prepare, .run = run, .kernel = kernel};
