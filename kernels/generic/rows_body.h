/* Softmax, layer normalization, quantize and dequantize, instantiated once per ISA. */
#include <math.h>

#include "kernels/generic/quantize16.h"
#include "kernels/libm.h"

/* Where a finished row goes; either pointer may be NULL. */
typedef struct row_sink {
  float *out_f32;
  uint8_t *out_u8;
  quantizer q;
} row_sink;

TAREI_INLINE void row_put(const row_sink *s, size_t i, v16 v, size_t n) {
  if (s->out_f32) {
    v_store_n(s->out_f32 + i, v, n);
  }
  if (s->out_u8) {
    i_store_u8_n(s->out_u8 + i, v_quantize(&s->q, v), n);
  }
}

/* x * scale + mask */
typedef struct logits {
  const float *x, *mask;
  v16 scale;
} logits;

TAREI_INLINE v16 logits_at(const logits *l, size_t i, size_t n) {
  const v16 scaled = v_mul(v_load_n(l->x + i, n), l->scale);
  return l->mask ? v_add(scaled, v_load_n(l->mask + i, n)) : scaled;
}

/* Lanes beyond n take `fill`. */
TAREI_INLINE v16 v_fill(v16 v, size_t n, float fill) {
  return n == TAREI_LANES ? v : v_select(m_first(n), v, v_set1(fill));
}

static float logits_max(const logits *l, size_t n) {
  v16 best = v_set1(-INFINITY);
  for (size_t i = 0; i + TAREI_LANES <= n; i += TAREI_LANES) {
    best = v_max(logits_at(l, i, TAREI_LANES), best);
  }
  if (n % TAREI_LANES) {
    const size_t left = n % TAREI_LANES;
    best = v_max(v_fill(logits_at(l, n - left, left), left, -INFINITY), best);
  }
  return v_reduce_max(best);
}

/* Sum of exp(logit - max); the exponentials are kept in `keep` unless it is NULL. */
static float logits_exp_sum(const logits *l, size_t n, float max, float *keep) {
  const v16 top = v_set1(max);
  v16 sum = v_set1(0.0f);
  for (size_t i = 0; i < n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, n);
    const v16 e = v_fill(v_exp(v_sub(logits_at(l, i, left), top)), left, 0.0f);
    sum = v_add(sum, e);
    if (keep) {
      v_store_n(keep + i, e, left);
    }
  }
  return v_sum(sum);
}

/* Without float output there is no room to keep the exponentials: they are computed again. */
static void softmax_row(const logits *l, size_t n, const row_sink *sink) {
  const float max = logits_max(l, n);
  const float sum = logits_exp_sum(l, n, max, sink->out_f32);
  const v16 inverse = v_set1(1.0f / sum);
  for (size_t i = 0; i < n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, n);
    const v16 e = sink->out_f32 ? v_load_n(sink->out_f32 + i, left)
                                : v_exp(v_sub(logits_at(l, i, left), v_set1(max)));
    row_put(sink, i, v_mul(e, inverse), left);
  }
}

void TAREI_K(tare_k_softmax_f32_16)(const float *x, size_t n, float *out) {
  const logits l = {x, NULL, v_set1(1.0f)};
  const row_sink sink = {out, NULL, quantizer_for(1.0f, 0)};
  softmax_row(&l, n, &sink);
}

void TAREI_K(tare_k_softmax_fused_f32u8_16)(const float *x, float scale, const float *mask,
                                            size_t n, float *out_f32, uint8_t *out_u8,
                                            float inv_scale, int32_t zero_point) {
  const logits l = {x, mask, v_set1(scale)};
  const row_sink sink = {out_f32, out_u8, quantizer_for(inv_scale, zero_point)};
  softmax_row(&l, n, &sink);
}

uint32_t TAREI_K(tare_k_softmax_u8_f32u8_16)(const float *x, float scale, const float *mask,
                                             size_t n, uint8_t *out) {
  const logits l = {x, mask, v_set1(scale)};
  const v16 top = v_set1(logits_max(&l, n));
  const quantizer q = quantizer_for(255.0f, 0);
  v16i sums = i_set1(0);
  for (size_t i = 0; i < n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, n);
    const v16 e = v_fill(v_exp(v_sub(logits_at(&l, i, left), top)), left, 0.0f);
    const v16i bytes = v_quantize(&q, e);
    sums = i_add(sums, bytes);
    i_store_u8_n(out + i, bytes, left);
  }
  return (uint32_t)i_sum(sums);
}

void TAREI_K(tare_k_log_softmax_f32_16)(const float *x, size_t n, float *out) {
  const logits l = {x, NULL, v_set1(1.0f)};
  const float max = logits_max(&l, n);
  const v16 log_sum = v_set1(tarei_libm_log(logits_exp_sum(&l, n, max, NULL)));
  for (size_t i = 0; i < n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, n);
    v_store_n(out + i, v_sub(v_sub(v_load_n(x + i, left), v_set1(max)), log_sum), left);
  }
}

typedef struct norm_input {
  const float *x, *residual;
} norm_input;

TAREI_INLINE v16 norm_at(const norm_input *in, size_t i, size_t n) {
  const v16 x = v_load_n(in->x + i, n);
  return in->residual ? v_add(x, v_load_n(in->residual + i, n)) : x;
}

static float norm_mean(const norm_input *in, size_t n) {
  v16 sum = v_set1(0.0f);
  for (size_t i = 0; i < n; i += TAREI_LANES) {
    sum = v_add(sum, norm_at(in, i, lanes_left(i, n)));
  }
  return v_sum(sum) / (float)n;
}

static float norm_variance(const norm_input *in, size_t n, v16 mean) {
  v16 sum = v_set1(0.0f);
  for (size_t i = 0; i < n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, n);
    const v16 d = v_fill(v_sub(norm_at(in, i, left), mean), left, 0.0f);
    sum = v_mul_add(d, d, sum);
  }
  return v_sum(sum) / (float)n;
}

void TAREI_K(tare_k_layer_norm_f32u8_16)(const float *x, const float *residual, size_t n,
                                         float epsilon, const float *gain, const float *shift,
                                         float *out_f32, uint8_t *out_u8, float inv_scale,
                                         int32_t zero_point) {
  const norm_input in = {x, residual};
  const row_sink sink = {out_f32, out_u8, quantizer_for(inv_scale, zero_point)};
  const v16 mean = v_set1(norm_mean(&in, n));
  const v16 factor = v_set1(1.0f / sqrtf(norm_variance(&in, n, mean) + epsilon));
  for (size_t i = 0; i < n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, n);
    v16 y = v_mul(v_sub(norm_at(&in, i, left), mean), factor);
    y = gain ? v_mul(y, v_load_n(gain + i, left)) : y;
    y = shift ? v_add(y, v_load_n(shift + i, left)) : y;
    row_put(&sink, i, y, left);
  }
}

void TAREI_K(tare_k_quantize_f32u8_16)(const float *x, size_t n, float inv_scale,
                                       int32_t zero_point, uint8_t *out) {
  const quantizer q = quantizer_for(inv_scale, zero_point);
  for (size_t i = 0; i < n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, n);
    i_store_u8_n(out + i, v_quantize(&q, v_load_n(x + i, left)), left);
  }
}

/* Largest finite magnitude, 0 without one. */
static float row_amax(const float *x, size_t n) {
  const v16 beyond = v_set1(INFINITY);
  v16 best = v_set1(0.0f);
  for (size_t i = 0; i < n; i += TAREI_LANES) {
    const v16 size = v_abs(v_load_n(x + i, lanes_left(i, n)));
    best = v_select(v_less(size, beyond), v_max(size, best), best);
  }
  return v_reduce_max(best);
}

void TAREI_K(tare_k_quantize_rows_f32u8_16)(const float *x, size_t ldx, size_t m, size_t k,
                                            uint8_t *out, size_t ldo, float *scales) {
  for (size_t i = 0; i < m; i++) {
    const float amax = row_amax(x + i * ldx, k) / 127.0f;
    scales[i] = isnormal(amax) ? amax : 1.0f;
    TAREI_K(tare_k_quantize_f32u8_16)(x + i * ldx, k, 1.0f / scales[i], 128, out + i * ldo);
  }
}

void TAREI_K(tare_k_lut_u8_u8_16)(const uint8_t *table, const uint8_t *x, size_t n, uint8_t *out) {
  for (size_t i = 0; i < n; i++) {
    out[i] = table[x[i]];
  }
}

void TAREI_K(tare_k_dequantize_u8f32_16)(const uint8_t *x, size_t n, float scale,
                                         int32_t zero_point, float *out) {
  const v16i zero = i_set1(zero_point);
  for (size_t i = 0; i < n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, n);
    const v16i centred = i_sub(i_load_u8_n(x + i, left), zero);
    v_store_n(out + i, v_mul(i_to_float(centred), v_set1(scale)), left);
  }
}
