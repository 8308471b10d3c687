#include "calib/samples/sample_length.h"

int64_t tarei_sample_length(const tare_tensor *const tensors, const int n) {
  int64_t most = 0;
  for (int i = 0; i < n; i++) {
    const int64_t count = tare_tensor_count(&tensors[i]);
    most = count > most ? count : most;
  }
  return most;
}
