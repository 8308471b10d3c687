/* Range: start, start + delta, ... */
#include "engine/lower/operands.h"

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
  TARE_TRY(tarei_want_count(step, r, 0, 1, err));
  TARE_TRY(tarei_want_count(step, r, 2, 1, err));
  const size_t n = (size_t)tare_tensor_count(r->out[0]);
  if (r->out[0]->dtype == TARE_I64) {
    FILL(int64_t, uint64_t);
  } else if (r->out[0]->dtype == TARE_I32) {
    FILL(int32_t, uint32_t);
  } else {
    FILL(float, double);
  }
  return TARE_OK;
}

static tare_status prepare(tarei_step *const step, tarei_blobs *const blobs,
                           tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  return dtype == TARE_I64 || dtype == TARE_I32 || dtype == TARE_F32
             ? TARE_OK
             : tarei_refuse_dtype(dtype, err);
}

const tarei_lowering tarei_lower_range = {.prepare = prepare, .run = run};
