/* Operators that only give the same bytes another shape. They share the memory of their input;
 * run() serves where that is not possible. */
#include <string.h>

#include "engine/lower/operands.h"

static tare_status copy(const tarei_step *const step, const tarei_run *const r,
                        tare_error *const err) {
  TARE_TRY(tarei_want_count(step, r, 0, tare_tensor_count(r->out[0]), err));
  memcpy(r->out[0]->data, r->in[0]->data,
         (size_t)tare_tensor_count(r->out[0]) * tare_dtype_size(r->out[0]->dtype));
  return TARE_OK;
}

#define VIEW(id) const tarei_lowering tarei_lower_##id = {.view = true, .run = copy};
VIEW(flatten)
VIEW(identity)
VIEW(reshape)
VIEW(squeeze)
VIEW(unsqueeze)
