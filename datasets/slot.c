#include "datasets/slot.h"

#include "base/mem.h"

tare_status tarei_slot_init(tarei_slot *const slot, const int n_tensors, tare_error *const err) {
  slot->tensors = tarei_calloc((size_t)n_tensors, sizeof *slot->tensors);
  if (!slot->tensors) {
    return tarei_fail_memory(err, "sample", (size_t)n_tensors * sizeof *slot->tensors);
  }
  slot->n_tensors = n_tensors;
  return TARE_OK;
}

void tarei_slot_fini(tarei_slot *const slot) {
  for (int i = 0; i < slot->n_tensors; i++) {
    free(slot->tensors[i].data);
  }
  if (slot->raw) {
    slot->free_raw(slot->raw);
  }
  free(slot->tensors);
  free(slot->label.data);
  free(slot->name);
  free(slot->label_text);
  *slot = (tarei_slot){0};
}

tare_status tarei_slot_allocate(tarei_slot *const slot, tare_tensor *const tensor,
                                const int64_t max_elements, tare_error *const err) {
  const int64_t count = tare_tensor_count(tensor);
  if (count < 0 || count > max_elements) {
    return tarei_fail(err, TARE_E_INPUT,
                      "has %lld elements, more than the %lld that max-elements allows",
                      (long long)count, (long long)max_elements);
  }
  const size_t size = tare_dtype_size(tensor->dtype);
  tensor->data = tensor->data ? tensor->data : tarei_alloc_aligned((size_t)count, size);
  if (!tensor->data) {
    return tarei_fail_memory(err, "sample", (size_t)count * size);
  }
  slot->bytes += (size_t)count * size;
  return TARE_OK;
}
