#include "engine/lower/move/indices.h"

tare_status tarei_want_indices(tarei_step *const step, tarei_blobs *const blobs,
                               tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[1]].dtype;
  return dtype == TARE_I64 || dtype == TARE_I32
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL, "indices are %s, expected int32 or int64",
                          tare_dtype_name(dtype));
}

tare_status tarei_check_indices(const tarei_step *const step, const tarei_run *const run,
                                const int64_t first, const int64_t stride, const int axis,
                                const int64_t size, tare_error *const err) {
  const tare_tensor *const indices = run->in[1];
  const int64_t n = tare_tensor_count(indices);
  for (int64_t i = first; i < n; i += stride) {
    const int64_t at = tarei_index_at(indices, i);
    if (at < -size || at >= size) {
      return tarei_fail(err, TARE_E_INPUT,
                        "index %lld in '%s' is out of range: expected %lld..%lld along axis %d",
                        (long long)at, step->graph->values[step->node->in[1]].name,
                        (long long)-size, (long long)size - 1, axis);
    }
  }
  return TARE_OK;
}
