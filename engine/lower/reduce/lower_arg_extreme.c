/* ArgMax and ArgMin. */
#include "engine/lower/operands.h"
#include "engine/lower/reduce/arg_extreme.h"

static tare_status arg_extreme_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                       tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  return tarei_arg_extreme_takes(dtype) ? TARE_OK : tarei_refuse_dtype(dtype, err);
}

static tare_status arg_extreme_run(const tarei_step *const step, const tarei_run *const r,
                                   const bool least, tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  const bool last = tarei_attr_int(step->node, "select_last_index", 0) != 0;
  int64_t axis = tarei_attr_int(step->node, "axis", 0);
  axis += axis < 0 ? x->rank : 0;
  if (x->dims[axis] == 0 && tare_tensor_count(r->out[0])) {
    return tarei_fail(err, TARE_E_SHAPE, "axis %lld of the input is empty", (long long)axis);
  }
  tarei_arg_extreme(r, x, (int)axis, least, last, r->out[0]->data);
  return TARE_OK;
}

static tare_status arg_max_run(const tarei_step *const step, const tarei_run *const r,
                               tare_error *const err) {
  return arg_extreme_run(step, r, false, err);
}

static tare_status arg_min_run(const tarei_step *const step, const tarei_run *const r,
                               tare_error *const err) {
  return arg_extreme_run(step, r, true, err);
}

const tarei_lowering tarei_lower_arg_max = {.prepare = arg_extreme_prepare, .run = arg_max_run};
const tarei_lowering tarei_lower_arg_min = {.prepare = arg_extreme_prepare, .run = arg_min_run};
