/* Conv as ONNX has it. Passes turn it into the channels-last form; what is left here are the forms
 * that have none. */
#include "engine/step.h"

static tare_status prepare(tarei_step *const step, tarei_blobs *const blobs,
                           tare_error *const err) {
  (void)blobs;
  const tarei_value *const w = &step->graph->values[step->node->in[1]];
  return tarei_fail(
      err, TARE_E_UNSUPPORTED,
      "convolutions need constant float32 weights over 1 or 2 axes; '%s' is %s %s over "
      "%d axes",
      w->name, w->data ? "constant" : "computed", tare_dtype_name(w->dtype), w->rank - 2);
}

const tarei_lowering tarei_lower_conv = {.prepare = prepare};
