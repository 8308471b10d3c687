/* Vector form of requant.h. */
#ifndef TAREI_KERNELS_GENERIC_QUANTIZE16_H
#define TAREI_KERNELS_GENERIC_QUANTIZE16_H

#include "kernels/generic/math/math16.h"

typedef struct quantizer {
  v16 inv_scale, low, high;
  v16i offset;
} quantizer;

/* To unsigned integers up to `most`. */
TAREI_INLINE quantizer quantizer_up_to(int32_t most, float inv_scale, int32_t zero_point) {
  return (quantizer){v_set1(inv_scale), v_set1((float)-zero_point),
                     v_set1((float)(most - zero_point)), i_set1(ROUND_MAGIC_BITS - zero_point)};
}

TAREI_INLINE quantizer quantizer_for(float inv_scale, int32_t zero_point) {
  return quantizer_up_to(255, inv_scale, zero_point);
}

/* lanes 0..255, or what the quantizer was made for */
TAREI_INLINE v16i v_quantize(const quantizer *q, v16 f) {
  const v16 scaled = v_mul(f, q->inv_scale);
  const v16 clamped = v_min(v_max_or_zero(scaled, q->low), q->high);
  return i_sub(v_bits(v_add(clamped, v_set1(ROUND_MAGIC))), q->offset);
}

#endif
