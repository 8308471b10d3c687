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

/* Without branches, so that compilers make vectors of it: what is below 0 has its last bit set. */
#define INDICES_FIT(type)                                                  \
  for (int64_t i = first; i < first + n; i += stride) {                    \
    const uint64_t at = (uint64_t)((const type *)indices->data)[i] + most; \
    outside |= at | (2 * most - 1 - at);                                   \
  }

bool tarei_indices_fit(const tare_tensor *const indices, const int64_t first, const int64_t n,
                       const int64_t stride, const int64_t size) {
  const uint64_t most = (uint64_t)size;
  uint64_t outside = 0;
  if (indices->dtype == TARE_I64 && stride == 1) {
    INDICES_FIT(int64_t)
  } else if (indices->dtype == TARE_I64) {
    INDICES_FIT(int64_t)
  } else {
    INDICES_FIT(int32_t)
  }
  return outside >> 63 == 0;
}

tare_status tarei_check_indices(const tarei_step *const step, const tarei_run *const run,
                                const int64_t first, const int64_t stride, const int axis,
                                const int64_t size, tare_error *const err) {
  const tare_tensor *const indices = run->in[1];
  const int64_t n = tare_tensor_count(indices);
  if (tarei_indices_fit(indices, first, n - first, stride, size)) {
    return TARE_OK;
  }
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
