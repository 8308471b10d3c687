/* Rows of channels: the moments of each channel, and each channel times a factor. Instantiated once
 * per ISA. */
#include "kernels/generic/act16.h"
#include "kernels/generic/row_sink.h"

/* Vectors of a row at a time: their sums do not wait for one another, and the rows are in the first
 * cache when they are read again. */
enum { CHANNEL_VECTORS = 4 };

TAREI_INLINE void channel_sums(const float *x, size_t ldx, size_t m, const size_t vectors, size_t n,
                               const v16 *means, v16 *sums) {
  for (size_t q = 0; q < vectors; q++) {
    sums[q] = v_set1(0.0f);
  }
  for (size_t i = 0; i < m; i++) {
#pragma GCC unroll 4
    for (size_t q = 0; q < vectors; q++) {
      const v16 value = v_load_n(x + i * ldx + q * TAREI_LANES, n);
      const v16 distance = means ? v_sub(value, means[q]) : value;
      sums[q] = v_add(sums[q], means ? v_mul(distance, distance) : distance);
    }
  }
}

/* `n`: lanes of each vector. */
TAREI_INLINE void channel_moments(const float *x, size_t ldx, size_t m, const size_t vectors,
                                  size_t n, float *mean, float *squares) {
  const v16 share = v_set1(1.0f / (float)m);
  v16 means[CHANNEL_VECTORS], sums[CHANNEL_VECTORS];
  channel_sums(x, ldx, m, vectors, n, NULL, means);
  for (size_t q = 0; q < vectors; q++) {
    means[q] = v_mul(means[q], share);
    v_store_n(mean + q * TAREI_LANES, means[q], n);
  }
  channel_sums(x, ldx, m, vectors, n, means, sums);
  for (size_t q = 0; q < vectors; q++) {
    v_store_n(squares + q * TAREI_LANES, sums[q], n);
  }
}

void TAREI_K(tarei_k_channel_moments_f32_16)(const float *x, size_t m, size_t channels, float *mean,
                                             float *squares) {
  size_t c = 0;
  for (; c + CHANNEL_VECTORS * TAREI_LANES <= channels; c += CHANNEL_VECTORS * TAREI_LANES) {
    channel_moments(x + c, channels, m, CHANNEL_VECTORS, TAREI_LANES, mean + c, squares + c);
  }
  for (; c < channels; c += TAREI_LANES) {
    channel_moments(x + c, channels, m, 1, lanes_left(c, channels), mean + c, squares + c);
  }
}

typedef struct scaled_channels {
  const float *factor, *offset;
  v16 a, b;
} scaled_channels;

TAREI_INLINE void scale_channels_at(const scaled_channels *s, const float *x, size_t c, size_t n,
                                    const row_sink *to, act16_fn *act) {
  const v16 scaled = v_mul(v_load_n(x + c, n), v_load_n(s->factor + c, n));
  row_put(to, c, act(v_add(scaled, v_load_n(s->offset + c, n)), s->a, s->b), n);
}

TAREI_INLINE void scale_channels(const tarei_channel_scale *s, act16_fn *act) {
  const scaled_channels by = {s->factor, s->offset, v_set1(s->act_a), v_set1(s->act_b)};
  row_sink to = {s->out_f32, s->out_u8, quantizer_for(s->inv_scale, s->zero_point)};
  const size_t channels = s->channels, whole = channels / TAREI_LANES * TAREI_LANES;
  const float *x = s->x;
  for (size_t i = 0; i < s->m; i++) {
    for (size_t c = 0; c < whole; c += TAREI_LANES) {
      scale_channels_at(&by, x, c, TAREI_LANES, &to, act);
    }
    if (whole < channels) {
      scale_channels_at(&by, x, whole, channels - whole, &to, act);
    }
    x += channels;
    to.out_f32 = to.out_f32 ? to.out_f32 + channels : NULL;
    to.out_u8 = to.out_u8 ? to.out_u8 + channels : NULL;
  }
}

#define TAREI_ACTIVATION(id, expression)                                  \
  static void TAREI_K(channel_scale_##id)(const tarei_channel_scale *s) { \
    scale_channels(s, act16_##id);                                        \
  }
#include "kernels/activations.inc"
#undef TAREI_ACTIVATION

void TAREI_K(tarei_k_channel_scale_f32u8_16)(const tarei_channel_scale *s) {
  static void (*const scale[TAREI_ACT_COUNT])(const tarei_channel_scale *) = {
#define TAREI_ACTIVATION(id, expression) TAREI_K(channel_scale_##id),
#include "kernels/activations.inc"
#undef TAREI_ACTIVATION
  };
  scale[s->act](s);
}
