/* Rows to 16 bits, as two planes of bytes. Instantiated once per ISA. */
#include <float.h>

#include "kernels/generic/amax16.h"
#include "kernels/generic/quantize16.h"

enum { I16_ZERO_POINT = 32768, I16_MOST = 65535 };

TAREI_INLINE float i16_scale_of(float amax) {
  const float scale = amax / 32767.0f;
  return scale >= FLT_MIN ? scale : 1.0f;
}

TAREI_INLINE void put_i16(const quantizer *q, const float *x, size_t k, uint8_t *upper,
                          uint8_t *lower) {
  size_t i = 0;
  for (; i + WHOLE <= k; i += WHOLE) {
    v16i high[4], low[4];
#pragma GCC unroll 4
    for (size_t j = 0; j < 4; j++) {
      const v16i v = v_quantize(q, v_load(x + i + j * QUARTER));
      high[j] = i_shift_right(v, 8);
      low[j] = i_sub(v, i_shift_left(high[j], 8));
    }
    i_store_u8_four(upper + i, high);
    i_store_u8_four(lower + i, low);
  }
  for (; i < k; i += QUARTER) {
    const size_t left = lanes_left(i, k);
    const v16i v = v_quantize(q, v_load_n(x + i, left));
    const v16i high = i_shift_right(v, 8);
    i_store_u8_n(upper + i, high, left);
    i_store_u8_n(lower + i, i_sub(v, i_shift_left(high, 8)), left);
  }
}

void TAREI_K(tarei_k_quantize_i16_f32u8_16)(const tarei_i16_rows *r) {
  for (size_t i = 0; i < r->m; i++) {
    const float *const x = r->x + i * r->ldx;
    float inv_scale = r->inv_scale;
    if (r->scales) {
      r->scales[i] = i16_scale_of(row_amax(x, r->k));
      inv_scale = 1.0f / r->scales[i];
    }
    const quantizer q = quantizer_up_to(I16_MOST, inv_scale, I16_ZERO_POINT + r->offset);
    put_i16(&q, x, r->k, r->upper + i * r->ldo, r->lower + i * r->ldo);
  }
}
