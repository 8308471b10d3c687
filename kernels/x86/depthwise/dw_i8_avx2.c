/* Depthwise convolution u8 x s8 along one axis. Two time steps that neighbouring taps meet are
 * interleaved as words, once for all taps. Few channels, and windows that are too long, are left to
 * the kernel for all of them. */
#if !defined(__AVX2__)
#error "needs AVX2"
#endif
#include "kernels/x86/depthwise/dw_i8_pairs.h"

enum {
  PAIRED_OUTPUTS = 64,
  PAIRED_STEPS = 320, /* of time */
  PAIRED_TAPS = 256,
  PAIRED_LEAST = 8, /* outputs that the steps must be enough for */
};

static int64_t paired_reach(const tarei_dw_conv *c) {
  return (c->kernel - 1) * c->dilation + 1;
}

/* Outputs of PAIRED_STEPS; 0: the window does not fit. */
static size_t paired_most_outputs(const tarei_dw_conv *c) {
  if (c->kernel > PAIRED_TAPS || c->dilation > PAIRED_STEPS || paired_reach(c) > PAIRED_STEPS) {
    return 0;
  }
  const int64_t most = (PAIRED_STEPS - paired_reach(c)) / c->stride + 1;
  return most < PAIRED_OUTPUTS ? (size_t)most : PAIRED_OUTPUTS;
}

static void paired_conv_taps(const tarei_dw_conv *c, size_t channel, paired *taps) {
  const int8_t *w = (const int8_t *)c->w + channel;
  for (int64_t j = 0; j < c->kernel; j += 2) {
    *taps++ = paired_taps(w, j + 1 < c->kernel ? w + c->channels : NULL);
    w += 2 * c->channels;
  }
}

/* Time step t of a channel; the zero point outside. */
TAREI_INLINE __m128i paired_step(const tarei_dw_conv *c, size_t channel, int64_t t) {
  return t < 0 || t >= c->in_length
             ? _mm_set1_epi8((char)c->zero_point)
             : _mm_loadu_si128(
                   (const __m128i *)((const uint8_t *)c->x + (size_t)t * c->ldx + channel));
}

/* n time steps from t on, each with the one a tap later. */
static void paired_conv_steps(const tarei_dw_conv *c, size_t channel, int64_t t, size_t n,
                              paired *to) {
  const int64_t last = t + (int64_t)n - 1 + c->dilation;
  if (t < 0 || last >= c->in_length) {
    for (size_t i = 0; i < n; i++) {
      const int64_t at = t + (int64_t)i;
      to[i] = paired_bytes(paired_step(c, channel, at), paired_step(c, channel, at + c->dilation));
    }
    return;
  }
  const uint8_t *x = (const uint8_t *)c->x + (size_t)t * c->ldx + channel;
  const size_t later = (size_t)c->dilation * c->ldx;
  for (size_t i = 0; i < n; i++) {
    to[i] = paired_bytes(_mm_loadu_si128((const __m128i *)x),
                         _mm_loadu_si128((const __m128i *)(x + later)));
    x += c->ldx;
  }
}

static void paired_conv_sums(const paired_tile *tile, size_t channel, int32_t *sums) {
  paired taps[PAIRED_TAPS / 2], steps[PAIRED_STEPS];
  const tarei_dw_conv *const c = tile->conv;
  const int64_t first = (c->t0 + (int64_t)tile->first) * c->stride - c->pad;
  const size_t n = (tile->rows - 1) * (size_t)c->stride + (size_t)paired_reach(c);
  paired_conv_taps(c, channel, taps);
  paired_conv_steps(c, channel, first, n, steps);
  const paired_windows windows = {.taps = taps,
                                  .line = steps,
                                  .pairs = 1,
                                  .width = (size_t)(c->kernel + 1) / 2,
                                  .stride = (size_t)c->stride,
                                  .dilation = 2 * (size_t)c->dilation};
  paired_outputs(&windows, c->add + channel, tile->rows, sums);
}

void tarei_k_dw_conv_i8_u8s8_8x16__avx2(const tarei_dw_conv *c) {
  _Alignas(32) int32_t room[PAIRED_LANES + PAIRED_OUTPUTS * GEMM_PANEL];
  const size_t most = paired_most_outputs(c);
  if (c->channels < PAIRED_LANES || most < PAIRED_LEAST) {
    tarei_k_dw_conv_i8_u8s8_4x16__avx2(c);
    return;
  }
  const size_t outputs = (size_t)(c->t1 - c->t0);
  const half_source source = {&c->epilogue, outputs, c->channels, (size_t)c->kernel, c->add};
  const half_product product = tarei_half_product__avx2(&source);
  paired_run_all(c, &product, outputs, c->channels, most, paired_conv_sums, room);
}
