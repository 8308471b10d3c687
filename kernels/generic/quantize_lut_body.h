/* Floats to bytes and on by table, and the largest element of a row. Instantiated once per ISA;
 * LOOK_UP is a kernel of lut_u8. */
#include <math.h>

#include "kernels/generic/amax16.h"
#include "kernels/generic/quantize16.h"

float TAREI_K(tarei_k_row_top_f32_16)(const float *x, size_t n) {
  return largest_element(x, n);
}

/* NaN counts as the lowest number. */
TAREI_INLINE v16i place_of(const quantizer *q, v16 x) {
  const v16 clamped = v_min(v_max(v_mul(x, q->inv_scale), q->low), q->high);
  return i_sub(v_bits(v_add(clamped, v_set1(ROUND_MAGIC))), q->offset);
}

void TAREI_K(tarei_k_quantize_lut_f32u8_16)(const float *x, size_t n, float inv_scale,
                                            int32_t zero_point, const uint8_t *table,
                                            uint8_t *out) {
  const quantizer q = quantizer_for(inv_scale, zero_point);
  size_t i = 0;
  for (; i + WHOLE <= n; i += WHOLE) {
    v16i bytes[4];
#pragma GCC unroll 4
    for (size_t c = 0; c < 4; c++) {
      bytes[c] = place_of(&q, v_load(x + i + c * QUARTER));
    }
    i_store_u8_four(out + i, bytes);
  }
  for (; i < n; i += QUARTER) {
    const size_t left = lanes_left(i, n);
    i_store_u8_n(out + i, place_of(&q, v_load_n(x + i, left)), left);
  }
  LOOK_UP(table, out, n, out);
}
