/* Range: start, start + delta, ... */
#include "engine/step.h"

#define FILL(type)                                                                      \
  do {                                                                                  \
    const type start = *(const type *)r->in[0]->data, delta = *(const type *)r->in[2]->data; \
    for (size_t i = 0; i < n; i++) {                                                    \
      ((type *)r->out[0]->data)[i] = start + (type)i * delta;                           \
    }                                                                                   \
  } while (0)

static tare_status run(const tarei_step *const step, const tarei_run *const r,
                       tare_error *const err) {
  (void)step;
  (void)err;
  const size_t n = (size_t)tare_tensor_count(r->out[0]);
  if (r->out[0]->dtype == TARE_I64) {
    FILL(int64_t);
  } else if (r->out[0]->dtype == TARE_I32) {
    FILL(int32_t);
  } else {
    FILL(float);
  }
  return TARE_OK;
}

static tare_status prepare(tarei_step *const step, tarei_blobs *const blobs,
                           tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  return dtype == TARE_I64 || dtype == TARE_I32 || dtype == TARE_F32
             ? TARE_OK
             : tarei_fail(err, TARE_E_UNSUPPORTED, "%s is not supported here",
                          tare_dtype_name(dtype));
}

const tarei_lowering tarei_lower_range = {.prepare = prepare, .run = run};
