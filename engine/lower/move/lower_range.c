/* Range: start, start + delta, ... */
#include <math.h>

#include "engine/lower/measured.h"
#include "engine/lower/numbers.h"
#include "engine/lower/operands.h"

/* Start, limit and delta: integers, or else reals. */
typedef struct limits {
  bool real;
  double reals[3];
  int64_t integers[3];
} limits;

static tare_status range_read(const tarei_step *const step, const tarei_run *const r,
                              limits *const n, tare_error *const err) {
  static const char *const names[] = {"start", "limit", "delta"};
  const tare_dtype dtype = r->in[0]->dtype;
  n->real = dtype == TARE_F32 || dtype == TARE_F64;
  for (int i = 0; i < 3; i++) {
    TAREI_TRY(
        n->real ? tarei_read_real(step, r, i, names[i], &n->reals[i], err)
                : tarei_read_int(step, r, i, names[i], INT64_MIN, INT64_MAX, &n->integers[i], err));
  }
  return TARE_OK;
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

static tare_status range_count(const limits *const n, int64_t *const out, tare_error *const err) {
  if (!n->real && n->integers[2] == 0) {
    return tarei_fail(err, TARE_E_INPUT, "delta is 0");
  }
  const double steps = n->real ? ceil((n->reals[1] - n->reals[0]) / n->reals[2]) : 0;
  if (!(fabs(steps) < 0x1p62)) {
    return tarei_fail(err, TARE_E_INPUT, "start %g, limit %g and delta %g describe no range",
                      n->reals[0], n->reals[1], n->reals[2]);
  }
  const uint64_t whole = count_integers(n->integers[0], n->integers[1], n->integers[2]);
  *out = n->real             ? (int64_t)(steps > 0 ? steps : 0)
         : whole > INT64_MAX ? INT64_MAX
                             : (int64_t)whole;
  return TARE_OK;
}

static tare_status range_measure(const tarei_step *const step, const tarei_run *const r,
                                 int64_t *const values, tare_error *const err) {
  limits n = {0};
  int64_t dim = 0;
  TAREI_TRY(range_read(step, r, &n, err));
  TAREI_TRY(range_count(&n, &dim, err));
  tarei_measured_dims(step, 0, &dim, values);
  return TARE_OK;
}

/* Integers wrap like two's complement: they are counted in `wide`. */
#define FILL(type, wide, from)                                        \
  do {                                                                \
    const wide start = (wide)(from)[0], delta = (wide)(from)[2];      \
    for (size_t i = 0; i < n; i++) {                                  \
      ((type *)r->out[0]->data)[i] = (type)(start + (wide)i * delta); \
    }                                                                 \
  } while (0)

static tare_status range_run(const tarei_step *const step, const tarei_run *const r,
                             tare_error *const err) {
  limits given = {0};
  TAREI_TRY(range_read(step, r, &given, err));
  const size_t n = (size_t)tare_tensor_count(r->out[0]);
  if (r->out[0]->dtype == TARE_I64) {
    FILL(int64_t, uint64_t, given.integers);
  } else if (r->out[0]->dtype == TARE_I32) {
    FILL(int32_t, uint32_t, given.integers);
  } else if (r->out[0]->dtype == TARE_I16) {
    FILL(int16_t, uint32_t, given.integers);
  } else if (r->out[0]->dtype == TARE_F64) {
    FILL(double, double, given.reals);
  } else {
    FILL(float, double, given.reals);
  }
  return TARE_OK;
}

static tare_status range_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                 tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  return dtype == TARE_I64 || dtype == TARE_I32 || dtype == TARE_I16 || dtype == TARE_F32 ||
                 dtype == TARE_F64
             ? TARE_OK
             : tarei_refuse_dtype(dtype, err);
}

const tarei_lowering tarei_lower_range = {
    .prepare = range_prepare, .measure = range_measure, .run = range_run};
