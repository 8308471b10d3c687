/* Rows to bytes, each by its own largest magnitude. Instantiated once per ISA. */
#include <float.h>
#include <math.h>

#include "kernels/generic/amax16.h"
#include "kernels/generic/quantize16.h"

TAREI_INLINE float scale_of(float amax) {
  const float scale = amax / 127.0f;
  return scale >= FLT_MIN ? scale : 1.0f;
}

/* Finite values divided by their scale stay within 127 steps and need no bounds. */
TAREI_INLINE v16i quantize_finite(v16 x, v16 inv_scale) {
  const v16 shifted = v_add(v_mul(x, inv_scale), v_set1(ROUND_MAGIC));
  return i_sub(v_bits(shifted), i_set1(ROUND_MAGIC_BITS - 128));
}

TAREI_INLINE void put_finite(const float *x, size_t n, v16 inv_scale, uint8_t *out) {
  size_t i = 0;
  for (; i + WHOLE <= n; i += WHOLE) {
    v16i bytes[4];
#pragma GCC unroll 4
    for (size_t q = 0; q < 4; q++) {
      bytes[q] = quantize_finite(v_load(x + i + q * QUARTER), inv_scale);
    }
    i_store_u8_four(out + i, bytes);
  }
  for (; i < n; i += QUARTER) {
    const size_t left = lanes_left(i, n);
    i_store_u8_n(out + i, quantize_finite(v_load_n(x + i, left), inv_scale), left);
  }
}

static float TAREI_K(quantize_rows_put_any)(const float *x, size_t n, uint8_t *out) {
  const float scale = scale_of(finite_amax(x, n));
  const quantizer q = quantizer_for(1.0f / scale, 128);
  for (size_t i = 0; i < n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, n);
    i_store_u8_n(out + i, v_quantize(&q, v_load_n(x + i, left)), left);
  }
  return scale;
}

/* 0 where not all values are finite. */
TAREI_INLINE float scale_if_finite(const float *x, size_t n) {
  const v16 largest = i_as_float(largest_magnitudes(x, n));
  const bool finite = m_count(v_less(largest, v_set1(INFINITY))) == TAREI_LANES;
  return finite ? scale_of(v_reduce_max(largest)) : 0.0f;
}

/* The scale of a row takes long to become known: the next row is looked at before it is needed. */
static void quantize_each(const float *x, size_t ldx, size_t m, size_t k, uint8_t *out, size_t ldo,
                          float *scales) {
  float next = m ? scale_if_finite(x, k) : 0.0f;
  for (size_t i = 0; i < m; i++) {
    const float scale = next;
    next = i + 1 < m ? scale_if_finite(x + ldx, k) : 0.0f;
    if (scale > 0) {
      scales[i] = scale;
      put_finite(x, k, v_set1(1.0f / scale), out);
    } else {
      scales[i] = TAREI_K(quantize_rows_put_any)(x, k, out);
    }
    x += ldx;
    out += ldo;
  }
}

/* Sixteen rows of at most sixteen elements; false, and nothing done, where not all are finite. */
TAREI_INLINE bool quantize_sixteen(const float *x, size_t ldx, size_t k, uint8_t *out, size_t ldo,
                                   float *scales) {
  float amax[TAREI_LANES], inv_scales[TAREI_LANES];
  v16i largest = i_set1(0);
  for (size_t i = 0; i < TAREI_LANES; i++) {
    const v16 size = v_abs(v_load_n(x + i * ldx, k));
    largest = i_max(largest, v_bits(size));
    amax[i] = v_reduce_max(size);
  }
  if (m_count(v_less(i_as_float(largest), v_set1(INFINITY))) < TAREI_LANES) {
    return false;
  }
  const v16 one = v_set1(1.0f), ratio = v_div(v_load(amax), v_set1(127.0f));
  const v16 scale = v_select(v_less(ratio, v_set1(FLT_MIN)), one, ratio);
  v_store(scales, scale);
  v_store(inv_scales, v_div(one, scale));
  for (size_t i = 0; i < TAREI_LANES; i++) {
    const v16i bytes = quantize_finite(v_load_n(x + i * ldx, k), v_set1(inv_scales[i]));
    i_store_u8_n(out + i * ldo, bytes, k);
  }
  return true;
}

void TAREI_K(tarei_k_quantize_rows_f32u8_16)(const float *x, size_t ldx, size_t m, size_t k,
                                            uint8_t *out, size_t ldo, float *scales) {
  for (; k <= TAREI_LANES && m >= TAREI_LANES; m -= TAREI_LANES) {
    if (!quantize_sixteen(x, ldx, k, out, ldo, scales)) {
      quantize_each(x, ldx, TAREI_LANES, k, out, ldo, scales);
    }
    x += TAREI_LANES * ldx;
    out += TAREI_LANES * ldo;
    scales += TAREI_LANES;
  }
  quantize_each(x, ldx, m, k, out, ldo, scales);
}
