#include <tare/tensor.h>

#include "base/mem.h"

size_t tare_dtype_size(const tare_dtype dtype) {
  switch (dtype) {
#define TAREI_DTYPE_CASE(name, value, bytes, text) \
  case TARE_##name:                                \
    return bytes;
    TARE_DTYPE_LIST(TAREI_DTYPE_CASE)
#undef TAREI_DTYPE_CASE
    case TARE_DTYPE_NONE:
      break;
  }
  return 0;
}

const char *tare_dtype_name(const tare_dtype dtype) {
  switch (dtype) {
#define TAREI_DTYPE_CASE(name, value, bytes, text) \
  case TARE_##name:                                \
    return text;
    TARE_DTYPE_LIST(TAREI_DTYPE_CASE)
#undef TAREI_DTYPE_CASE
    case TARE_DTYPE_NONE:
      break;
  }
  return "none";
}

int64_t tare_tensor_count(const tare_tensor *const tensor) {
  int64_t count = 1;
  for (int i = 0; i < tensor->rank; i++) {
    if (tensor->dims[i] == 0) {
      return 0;
    }
  }
  for (int i = 0; i < tensor->rank; i++) {
    if (!tarei_mul_i64(count, tensor->dims[i], &count)) {
      return -1;
    }
  }
  return count;
}
