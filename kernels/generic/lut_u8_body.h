/* Bytes by table, one at a time: for machines without wide look-ups. */
#include "kernels/registry.h"

void TAREI_K(tarei_k_lut_u8_u8_1)(const uint8_t *table, const uint8_t *x, size_t n, uint8_t *out) {
  for (size_t i = 0; i < n; i++) {
    out[i] = table[x[i]];
  }
}
