#include "base/half.h"

void tarei_f16_to_floats(const uint16_t *const h, const size_t n, float *const out) {
  for (size_t i = 0; i < n; i++) {
    out[i] = tarei_f16_to_float(h[i]);
  }
}

void tarei_floats_to_f16(const float *const f, const size_t n, uint16_t *const out) {
  for (size_t i = 0; i < n; i++) {
    out[i] = tarei_float_to_f16(f[i]);
  }
}
