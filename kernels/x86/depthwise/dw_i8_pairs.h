/* Depthwise sums of bytes by vpmaddwd: taps in pairs, and what two taps of an output meet
 * interleaved as words, sixteen channels at a time. */
#ifndef TAREI_KERNELS_X86_DEPTHWISE_DW_I8_PAIRS_H
#define TAREI_KERNELS_X86_DEPTHWISE_DW_I8_PAIRS_H

#include <immintrin.h>

#include "kernels/generic/gemm_walk.h"
#include "kernels/x86/i8_finish.h"

enum {
  PAIRED_LANES = 16,
  PAIRED_BLOCK = 4, /* outputs in registers */
};

/* Two bytes of each of sixteen channels, channel by channel. */
typedef struct paired {
  __m256i low, high;
} paired;

TAREI_INLINE paired paired_bytes(__m128i first, __m128i second) {
  return (paired){_mm256_cvtepu8_epi16(_mm_unpacklo_epi8(first, second)),
                  _mm256_cvtepu8_epi16(_mm_unpackhi_epi8(first, second))};
}

/* Tap `second` is NULL behind the last. */
TAREI_INLINE paired paired_taps(const int8_t *first, const int8_t *second) {
  const __m128i a = _mm_loadu_si128((const __m128i *)first);
  const __m128i b = second ? _mm_loadu_si128((const __m128i *)second) : _mm_setzero_si128();
  return (paired){_mm256_cvtepi8_epi16(_mm_unpacklo_epi8(a, b)),
                  _mm256_cvtepi8_epi16(_mm_unpackhi_epi8(a, b))};
}

/* Windows of `width` columns, at each of which they meet `pairs` pairs. */
typedef struct paired_windows {
  const paired *taps; /* [column][pair] */
  const paired *line; /* of the input: likewise */
  size_t pairs, width, stride, dilation;
} paired_windows;

/* Outputs from one on, `sums` GEMM_PANEL apart. */
TAREI_INLINE void paired_block(const paired_windows *w, const int32_t *add, size_t first,
                               const size_t rows, int32_t *sums) {
  __m256i low[PAIRED_BLOCK], high[PAIRED_BLOCK];
#pragma GCC unroll 4
  for (size_t i = 0; i < rows; i++) {
    low[i] = _mm256_loadu_si256((const __m256i *)add);
    high[i] = _mm256_loadu_si256((const __m256i *)(add + 8));
  }
  const size_t apart = w->stride * w->pairs;
  for (size_t kx = 0; kx < w->width; kx++) {
    for (size_t pair = 0; pair < w->pairs; pair++) {
      const paired tap = w->taps[kx * w->pairs + pair];
      const paired *x = w->line + first * apart + kx * w->dilation * w->pairs + pair;
#pragma GCC unroll 4
      for (size_t i = 0; i < rows; i++) {
        low[i] = _mm256_add_epi32(low[i], _mm256_madd_epi16(tap.low, x->low));
        high[i] = _mm256_add_epi32(high[i], _mm256_madd_epi16(tap.high, x->high));
        x += apart;
      }
    }
  }
#pragma GCC unroll 4
  for (size_t i = 0; i < rows; i++) {
    _mm256_storeu_si256((__m256i *)(sums + i * GEMM_PANEL), low[i]);
    _mm256_storeu_si256((__m256i *)(sums + i * GEMM_PANEL + 8), high[i]);
  }
}

/* n outputs. */
TAREI_INLINE void paired_outputs(const paired_windows *w, const int32_t *add, size_t n,
                                 int32_t *sums) {
  size_t i = 0;
  for (; i + PAIRED_BLOCK <= n; i += PAIRED_BLOCK) {
    paired_block(w, add, i, PAIRED_BLOCK, sums + i * GEMM_PANEL);
  }
  for (; i < n; i++) {
    paired_block(w, add, i, 1, sums + i * GEMM_PANEL);
  }
}

/* Outputs of a convolution, and channels of a panel. */
typedef struct paired_tile {
  const void *conv;
  const half_product *product;
  size_t first, rows, channel, channels; /* of the convolution */
} paired_tile;

/* Sixteen channels from one on, sums GEMM_PANEL apart. */
typedef void paired_sums_fn(const paired_tile *t, size_t channel, int32_t *sums);

/* `room` is for PAIRED_LANES and rows * GEMM_PANEL sums. The last sixteen channels end with the
 * last one: what they have in front of the tile, or in common with others, is written where nothing
 * or the same is. */
TAREI_INLINE void paired_run(const paired_tile *t, paired_sums_fn *compute, int32_t *room) {
  int32_t *const sums = room + PAIRED_LANES;
  const size_t left = t->channels - t->channel, columns = left < GEMM_PANEL ? left : GEMM_PANEL;
  for (size_t j = 0; j < columns; j += PAIRED_LANES) {
    const size_t last = t->channels - PAIRED_LANES;
    const size_t begin = t->channel + j < last ? t->channel + j : last;
    compute(t, begin, sums + (ptrdiff_t)(begin - t->channel));
  }
  for (size_t i = 0; i < t->rows; i += HALF_MOST_ROWS) {
    const size_t rows = t->rows - i < HALF_MOST_ROWS ? t->rows - i : HALF_MOST_ROWS;
    const half_tile done = {t->product, sums + i * GEMM_PANEL, t->first + i, t->channel, rows,
                            columns};
    tarei_half_finish__avx2(&done);
  }
}

/* All outputs and channels, at most `most` outputs at a time, for which `room` is. */
TAREI_INLINE void paired_run_all(const void *conv, const half_product *product, size_t outputs,
                                 size_t channels, size_t most, paired_sums_fn *compute,
                                 int32_t *room) {
  for (size_t first = 0; first < outputs; first += most) {
    const size_t rows = outputs - first < most ? outputs - first : most;
    for (size_t channel = 0; channel < channels; channel += GEMM_PANEL) {
      const paired_tile tile = {conv, product, first, rows, channel, channels};
      paired_run(&tile, compute, room);
    }
  }
}

#endif
