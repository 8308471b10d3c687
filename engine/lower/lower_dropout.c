/* Dropout of inference, where a pass could not take it away: the data pass, the mask is all true.
 */
#include <string.h>

#include "engine/lower/operands.h"

static tare_status run(const tarei_step *const step, const tarei_run *const r,
                       tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  TARE_TRY(tarei_want_count(step, r, 2, 1, err));
  if (step->node->n_in > 2 && r->in[2] && *(const uint8_t *)r->in[2]->data) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "it is in training mode");
  }
  const size_t n = (size_t)tare_tensor_count(x);
  if (r->out[0]) {
    memcpy(r->out[0]->data, x->data, n * tare_dtype_size(x->dtype));
  }
  if (step->node->n_out > 1 && r->out[1]) {
    memset(r->out[1]->data, 1, n);
  }
  return TARE_OK;
}

const tarei_lowering tarei_lower_dropout = {.run = run};
