/* Range: start, start + delta, ... */
#include <math.h>

#include "engine/lower/measured.h"
#include "engine/lower/operands.h"

/* A scalar as double, and as int64 where it is an integer. */
typedef struct number {
  double real;
  int64_t integer;
} number;

static number number_of(const tare_tensor *const x) {
  switch (x->dtype) {
    case TARE_F32:
      return (number){.real = (double)*(const float *)x->data};
    case TARE_F64:
      return (number){.real = *(const double *)x->data};
    case TARE_I16:
      return (number){.integer = *(const int16_t *)x->data};
    case TARE_I32:
      return (number){.integer = *(const int32_t *)x->data};
    default:
      return (number){.integer = *(const int64_t *)x->data};
  }
}

/* Steps that fit between two integers, the last one begun; without overflow. */
static uint64_t count_integers(const int64_t start, const int64_t limit, const int64_t delta) {
  const bool up = delta > 0;
  if (up ? start >= limit : start <= limit) {
    return 0;
  }
  const uint64_t distance =
      up ? (uint64_t)limit - (uint64_t)start : (uint64_t)start - (uint64_t)limit;
  const uint64_t step = up ? (uint64_t)delta : -(uint64_t)delta;
  return distance / step + (distance % step != 0);
}

static tare_status want_scalars(const tarei_step *const step, const tarei_run *const r,
                                tare_error *const err) {
  for (int i = 0; i < 3; i++) {
    TARE_TRY(tarei_want_count(step, r, i, 1, err));
  }
  return TARE_OK;
}

static tare_status measure(const tarei_step *const step, const tarei_run *const r,
                           int64_t *const values, tare_error *const err) {
  TARE_TRY(want_scalars(step, r, err));
  const number start = number_of(r->in[0]), limit = number_of(r->in[1]);
  const number delta = number_of(r->in[2]);
  const bool real = r->in[0]->dtype == TARE_F32 || r->in[0]->dtype == TARE_F64;
  const double steps = real ? ceil((limit.real - start.real) / delta.real) : 0;
  if (real ? !(fabs(steps) < 0x1p62) : delta.integer == 0) {
    return tarei_fail(err, TARE_E_INPUT, "its limits and its step make no range");
  }
  const uint64_t n = real ? (uint64_t)(steps > 0 ? steps : 0)
                          : count_integers(start.integer, limit.integer, delta.integer);
  const int64_t dim = n > INT64_MAX ? INT64_MAX : (int64_t)n;
  tarei_measured_dims(step, 0, &dim, values);
  return TARE_OK;
}

/* Integers wrap like two's complement: they are counted in `wide`. */
#define FILL(type, wide)                                              \
  do {                                                                \
    const wide start = (wide) * (const type *)r->in[0]->data;         \
    const wide delta = (wide) * (const type *)r->in[2]->data;         \
    for (size_t i = 0; i < n; i++) {                                  \
      ((type *)r->out[0]->data)[i] = (type)(start + (wide)i * delta); \
    }                                                                 \
  } while (0)

static tare_status run(const tarei_step *const step, const tarei_run *const r,
                       tare_error *const err) {
  TARE_TRY(want_scalars(step, r, err));
  const size_t n = (size_t)tare_tensor_count(r->out[0]);
  if (r->out[0]->dtype == TARE_I64) {
    FILL(int64_t, uint64_t);
  } else if (r->out[0]->dtype == TARE_I32) {
    FILL(int32_t, uint32_t);
  } else if (r->out[0]->dtype == TARE_I16) {
    FILL(int16_t, uint32_t);
  } else if (r->out[0]->dtype == TARE_F64) {
    FILL(double, double);
  } else {
    FILL(float, double);
  }
  return TARE_OK;
}

static tare_status prepare(tarei_step *const step, tarei_blobs *const blobs,
                           tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  return dtype == TARE_I64 || dtype == TARE_I32 || dtype == TARE_I16 || dtype == TARE_F32 ||
                 dtype == TARE_F64
             ? TARE_OK
             : tarei_refuse_dtype(dtype, err);
}

const tarei_lowering tarei_lower_range = {.prepare = prepare, .measure = measure, .run = run};
