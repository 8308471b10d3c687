/* Dropout of inference, where a pass could not take it away: the data pass, the mask is all true.
 */
#include <string.h>

#include "engine/lower/operands.h"

/* The mask has the type of the data before opset 10. */
static void fill_ones(const tare_tensor *const mask, const size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (mask->dtype == TARE_F32) {
      ((float *)mask->data)[i] = 1;
    } else if (mask->dtype == TARE_F64) {
      ((double *)mask->data)[i] = 1;
    } else {
      ((uint8_t *)mask->data)[i] = 1;
    }
  }
}

static tare_status dropout_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                   tare_error *const err) {
  (void)blobs;
  const int mask = step->node->n_out > 1 ? step->node->out[1] : -1;
  const tare_dtype dtype = mask < 0 ? TARE_BOOL : step->graph->values[mask].dtype;
  return dtype == TARE_BOOL || dtype == TARE_F32 || dtype == TARE_F64
             ? TARE_OK
             : tarei_refuse_dtype(dtype, err);
}

static tare_status dropout_run(const tarei_step *const step, const tarei_run *const r,
                               tare_error *const err) {
  (void)err;
  const tare_tensor *const x = r->in[0];
  const size_t n = (size_t)tare_tensor_count(x);
  if (r->out[0]) {
    memcpy(r->out[0]->data, x->data, n * tare_dtype_size(x->dtype));
  }
  if (step->node->n_out > 1 && r->out[1]) {
    fill_ones(r->out[1], n);
  }
  return TARE_OK;
}

const tarei_lowering tarei_lower_dropout = {.prepare = dropout_prepare, .run = dropout_run};
