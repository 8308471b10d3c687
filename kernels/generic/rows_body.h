/* Layer normalization, quantize and dequantize, instantiated once per ISA. */
#include <math.h>

#include "kernels/generic/row_sink.h"

typedef struct norm_input {
  const float *x, *residual;
} norm_input;

TAREI_INLINE v16 norm_at(const norm_input *in, size_t i, size_t n) {
  const v16 x = v_load_n(in->x + i, n);
  return in->residual ? v_add(x, v_load_n(in->residual + i, n)) : x;
}

/* What is added up of some elements: themselves, or the squares of their distances from `mean`. */
TAREI_INLINE v16 norm_add(const norm_input *in, const v16 *mean, size_t i, size_t n, v16 sum) {
  if (!mean) {
    return v_add(sum, norm_at(in, i, n));
  }
  const v16 d = v_fill(v_sub(norm_at(in, i, n), *mean), n, 0.0f);
  return v_fma(d, d, sum);
}

TAREI_INLINE float norm_average(const norm_input *in, size_t n, const v16 *mean) {
  v16 sums[CHAINS];
  for (int c = 0; c < CHAINS; c++) {
    sums[c] = v_set1(0.0f);
  }
  size_t i = 0;
  for (; i + CHAINED <= n; i += CHAINED) {
#pragma GCC unroll 4
    for (int c = 0; c < CHAINS; c++) {
      sums[c] = norm_add(in, mean, i + (size_t)c * TAREI_LANES, TAREI_LANES, sums[c]);
    }
  }
  for (; i < n; i += TAREI_LANES) {
    sums[0] = norm_add(in, mean, i, lanes_left(i, n), sums[0]);
  }
  return v_sum(v_add(v_add(sums[0], sums[1]), v_add(sums[2], sums[3]))) / (float)n;
}

typedef struct norm {
  norm_input in;
  v16 mean, factor;
  const float *gain, *shift; /* or NULL */
  row_sink sink;
} norm;

TAREI_INLINE void norm_put(const norm *m, size_t i, size_t n) {
  v16 y = v_mul(v_sub(norm_at(&m->in, i, n), m->mean), m->factor);
  y = m->gain ? v_mul(y, v_load_n(m->gain + i, n)) : y;
  y = m->shift ? v_add(y, v_load_n(m->shift + i, n)) : y;
  row_put(&m->sink, i, y, n);
}

TAREI_INLINE void norm_row(const norm *m, size_t n) {
  size_t i = 0;
  for (; i + TAREI_LANES <= n; i += TAREI_LANES) {
    norm_put(m, i, TAREI_LANES);
  }
  if (i < n) {
    norm_put(m, i, n - i);
  }
}

void TAREI_K(tarei_k_layer_norm_f32u8_16)(const float *x, const float *residual, size_t n,
                                          float epsilon, const float *gain, const float *shift,
                                          float *out_f32, uint8_t *out_u8, float inv_scale,
                                          int32_t zero_point) {
  const norm_input in = {x, residual};
  const v16 mean = v_set1(norm_average(&in, n, NULL));
  const v16 factor = v_set1(1.0f / sqrtf(norm_average(&in, n, &mean) + epsilon));
  const norm m = {in,   mean,  factor,
                  gain, shift, {out_f32, out_u8, quantizer_for(inv_scale, zero_point)}};
  norm_row(&m, n);
}

void TAREI_K(tarei_k_rms_norm_f32u8_16)(const float *x, size_t n, float epsilon, const float *gain,
                                        float *out_f32, uint8_t *out_u8, float inv_scale,
                                        int32_t zero_point) {
  const norm_input in = {x, NULL};
  const v16 zero = v_set1(0.0f);
  const v16 factor = v_set1(1.0f / sqrtf(norm_average(&in, n, &zero) + epsilon));
  const norm m = {in,   zero, factor,
                  gain, NULL, {out_f32, out_u8, quantizer_for(inv_scale, zero_point)}};
  norm_row(&m, n);
}

void TAREI_K(tarei_k_quantize_f32u8_16)(const float *x, size_t n, float inv_scale,
                                        int32_t zero_point, uint8_t *out) {
  const quantizer q = quantizer_for(inv_scale, zero_point);
  for (size_t i = 0; i < n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, n);
    i_store_u8_n(out + i, v_quantize(&q, v_load_n(x + i, left)), left);
  }
}

void TAREI_K(tarei_k_dequantize_u8f32_16)(const uint8_t *x, size_t n, float scale,
                                          int32_t zero_point, float *out) {
  const v16i zero = i_set1(zero_point);
  for (size_t i = 0; i < n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, n);
    const v16i centred = i_sub(i_load_u8_n(x + i, left), zero);
    v_store_n(out + i, v_mul(i_to_float(centred), v_set1(scale)), left);
  }
}
