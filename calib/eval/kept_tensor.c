#include "calib/eval/kept_tensor.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

tare_status tarei_kept_tensor_set(tarei_kept_tensor *const kept, const tare_tensor *const from,
                                  tare_error *const err) {
  const size_t bytes = (size_t)tare_tensor_count(from) * tare_dtype_size(from->dtype);
  void *data = kept->tensor.data;
  if (bytes > kept->capacity) {
    data = tarei_realloc(data, bytes);
    if (!data) {
      return tarei_fail_memory(err, "tensor to compare", bytes);
    }
    kept->capacity = bytes;
  }
  kept->tensor = *from;
  kept->tensor.data = data;
  if (bytes) {
    memcpy(data, from->data, bytes);
  }
  return TARE_OK;
}

void tarei_kept_tensor_fini(tarei_kept_tensor *const kept) {
  free(kept->tensor.data);
  *kept = (tarei_kept_tensor){0};
}

bool tarei_same_dims(const tare_tensor *const a, const tare_tensor *const b) {
  return a->rank == b->rank && memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}
