/* Mod: the sign of the divisor for integers, that of the dividend with fmod=1. */
#include <math.h>

#include "engine/lower/elementwise.h"
#include "engine/lower/operands.h"

typedef struct job {
  bool fmod;
  const void *a, *b;
  void *out;
} job;

/* A remainder of a division by zero is 0 instead of a trap. */
static int64_t remainder_of(const int64_t a, const int64_t b, const bool sign_of_a) {
  if (b == 0 || b == -1) {
    return 0;
  }
  const int64_t r = a % b;
  return !sign_of_a && r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static void float_row(const void *const user, const tarei_broadcast *const b, const size_t at,
                      const size_t *const offset) {
  const job *const j = user;
  const float *const x = (const float *)j->a + offset[0], *const y =
                                                              (const float *)j->b + offset[1];
  float *const out = (float *)j->out + at;
  for (size_t i = 0; i < b->n; i++) {
    out[i] = fmodf(x[i * b->step[0]], y[i * b->step[1]]);
  }
}

#define INTEGER_ROW(name, type)                                                              \
  static void name(const void *const user, const tarei_broadcast *const b, const size_t at,  \
                   const size_t *const offset) {                                             \
    const job *const j = user;                                                               \
    const type *const x = (const type *)j->a + offset[0];                                    \
    const type *const y = (const type *)j->b + offset[1];                                    \
    type *const out = (type *)j->out + at;                                                   \
    for (size_t i = 0; i < b->n; i++) {                                                      \
      out[i] = (type)remainder_of(x[i * b->step[0]], y[i * b->step[1]], j->fmod);            \
    }                                                                                        \
  }
INTEGER_ROW(int64_row, int64_t)
INTEGER_ROW(int32_row, int32_t)

static tarei_broadcast_fn row_of(const tare_dtype dtype) {
  return dtype == TARE_F32   ? float_row
         : dtype == TARE_I64 ? int64_row
         : dtype == TARE_I32 ? int32_row
                             : NULL;
}

static tare_status prepare(tarei_step *const step, tarei_blobs *const blobs,
                           tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  return row_of(dtype) ? TARE_OK
                       : tarei_refuse_dtype(dtype, err);
}

static tare_status run(const tarei_step *const step, const tarei_run *const r,
                       tare_error *const err) {
  tarei_broadcast layout;
  TARE_TRY(tarei_broadcast_read(r->in, 2, r->out[0], &layout, err));
  const job j = {tarei_attr_int(step->node, "fmod", 0) == 1, r->in[0]->data, r->in[1]->data,
                 r->out[0]->data};
  tarei_broadcast_run(&layout, r, row_of(r->in[0]->dtype), &j);
  return TARE_OK;
}

const tarei_lowering tarei_lower_mod = {.prepare = prepare, .run = run};
