/* Questions about one number, whose answers are bools: IsInf, IsNaN, Not. */
#include <math.h>

#include "engine/lower/elementwise/elementwise.h"
#include "engine/lower/operands.h"

typedef void ask_fn(const void *x, size_t n, uint8_t *out);

#define ASK(name, type, expression)                                              \
  static void name(const void *const from, const size_t n, uint8_t *const out) { \
    for (size_t i = 0; i < n; i++) {                                             \
      const type x = ((const type *)from)[i];                                    \
      out[i] = (expression);                                                     \
    }                                                                            \
  }
ASK(nan_f32, float, x != x)
ASK(nan_f64, double, x != x)
ASK(above_f32, float, x == INFINITY)
ASK(above_f64, double, x == (double)INFINITY)
ASK(below_f32, float, x == -INFINITY)
ASK(below_f64, double, x == -(double)INFINITY)
ASK(inf_f32, float, fabsf(x) == INFINITY)
ASK(inf_f64, double, fabs(x) == (double)INFINITY)
ASK(never, uint8_t, ((void)x, 0))
ASK(not_u8, uint8_t, !x)

typedef struct is_state {
  ask_fn *ask;
} is_state;

static tare_status prepare_with(tarei_step *const step, ask_fn *const f32, ask_fn *const f64,
                                ask_fn *const boolean, tare_error *const err) {
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  is_state *const s = step->state;
  s->ask = dtype == TARE_F32 ? f32 : dtype == TARE_F64 ? f64 : dtype == TARE_BOOL ? boolean : NULL;
  return s->ask ? TARE_OK : tarei_refuse_dtype(dtype, err);
}

static tare_status prepare_inf(tarei_step *const step, tarei_blobs *const blobs,
                               tare_error *const err) {
  (void)blobs;
  const bool below = tarei_attr_int(step->node, "detect_negative", 1) != 0;
  const bool above = tarei_attr_int(step->node, "detect_positive", 1) != 0;
  return below && above ? prepare_with(step, inf_f32, inf_f64, NULL, err)
         : below        ? prepare_with(step, below_f32, below_f64, NULL, err)
         : above        ? prepare_with(step, above_f32, above_f64, NULL, err)
                        : prepare_with(step, never, never, NULL, err);
}

static tare_status prepare_nan(tarei_step *const step, tarei_blobs *const blobs,
                               tare_error *const err) {
  (void)blobs;
  return prepare_with(step, nan_f32, nan_f64, NULL, err);
}

static tare_status prepare_not(tarei_step *const step, tarei_blobs *const blobs,
                               tare_error *const err) {
  (void)blobs;
  return prepare_with(step, NULL, NULL, not_u8, err);
}

typedef struct is_job {
  ask_fn *ask;
  const char *x;
  uint8_t *out;
  size_t size; /* of an element of x */
} is_job;

static void is_chunk(const void *const user, const size_t first, const size_t n) {
  const is_job *const j = user;
  j->ask(j->x + first * j->size, n, j->out + first);
}

static tare_status is_run(const tarei_step *const step, const tarei_run *const r,
                          tare_error *const err) {
  (void)err;
  const is_job j = {.ask = ((const is_state *)step->state)->ask,
                    .x = r->in[0]->data,
                    .out = r->out[0]->data,
                    .size = tare_dtype_size(r->in[0]->dtype)};
  tarei_chunks(r, (size_t)tare_tensor_count(r->in[0]), is_chunk, &j);
  return TARE_OK;
}

const tarei_lowering tarei_lower_is_inf = {
    .state_bytes = sizeof(is_state), .prepare = prepare_inf, .run = is_run};
const tarei_lowering tarei_lower_is_nan = {
    .state_bytes = sizeof(is_state), .prepare = prepare_nan, .run = is_run};
const tarei_lowering tarei_lower_not = {
    .state_bytes = sizeof(is_state), .prepare = prepare_not, .run = is_run};
