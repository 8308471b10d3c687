/* Floats to bytes, by the largest magnitude of their row: around 128, or from 0 on where none is
 * below zero. `zero` is that zero point: 128 or 0. */
#ifndef TAREI_KERNELS_GENERIC_ROW_BYTES16_H
#define TAREI_KERNELS_GENERIC_ROW_BYTES16_H

#include <float.h>
#include <math.h>

#include "kernels/generic/amax16.h"
#include "kernels/generic/quantize16.h"

/* Steps on one side of zero. */
TAREI_INLINE float row_steps(const int32_t zero) {
  return zero == 0 ? 255.0f : 127.0f;
}

TAREI_INLINE float row_scale_of(float amax, const int32_t zero) {
  const float scale = amax / row_steps(zero);
  return scale >= FLT_MIN ? scale : 1.0f;
}

/* The same for the magnitudes of sixteen rows. */
TAREI_INLINE v16 row_scales_of(v16i magnitudes, const int32_t zero) {
  const v16 scales = v_div(i_as_float(magnitudes), v_set1(row_steps(zero)));
  return v_select(v_less(scales, v_set1(FLT_MIN)), v_set1(1.0f), scales);
}

/* The first n of four times sixteen numbers of steps. */
TAREI_INLINE void put_steps(uint8_t *out, const v16i *steps, size_t n, const int32_t zero) {
  if (zero == 0) {
    i_store_unsigned(out, steps, n);
  } else {
    i_store_biased(out, steps, n);
  }
}

/* Finite values divided by their scale stay within those steps and need no bounds. */
TAREI_INLINE void put_finite(const float *x, size_t n, v16 inv_scale, uint8_t *out,
                             const int32_t zero) {
  v16i steps[4];
  for (; n >= WHOLE; n -= WHOLE) {
#pragma GCC unroll 4
    for (size_t q = 0; q < 4; q++) {
      steps[q] = v_nearest(v_mul(v_load(x + q * QUARTER), inv_scale));
    }
    put_steps(out, steps, WHOLE, zero);
    x += WHOLE;
    out += WHOLE;
  }
  if (n > 0) {
#pragma GCC unroll 4
    for (size_t q = 0; q < 4; q++) {
      const size_t first = q * QUARTER;
      steps[q] = first < n ? v_nearest(v_mul(v_load_n(x + first, lanes_left(first, n)), inv_scale))
                           : i_set1(0);
    }
    put_steps(out, steps, n, zero);
  }
}

/* The same for any values. */
TAREI_INLINE void put_saturated(const float *x, size_t n, float scale, uint8_t *out,
                                const int32_t zero) {
  const quantizer q = quantizer_for(1.0f / scale, zero);
  for (size_t i = 0; i < n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, n);
    i_store_u8_n(out + i, v_quantize(&q, v_load_n(x + i, left)), left);
  }
}

#endif
