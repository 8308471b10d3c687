/* Depthwise convolution u8 x s8 over two axes. Two lines of the input at a time are interleaved as
 * words, once for all columns of the window, so that vpmaddwd multiplies two taps. Windows that are
 * higher or wider than usual, and few channels, are left to the kernel for all of them. */
#if !defined(__AVX2__)
#error "needs AVX2"
#endif
#include <immintrin.h>

#include "kernels/generic/depthwise/dw_planes.h"
#include "kernels/generic/gemm_walk.h"
#include "kernels/x86/i8_finish.h"

enum {
  PAIRED_ROWS = HALF_MOST_ROWS,
  PAIRED_LANES = 16, /* channels at a time */
  PAIRED_PAIRS = 2,  /* of lines */
  PAIRED_WIDTH = 8,  /* columns of a window */
  PAIRED_PIXELS = 64,
  PAIRED_BLOCK = 4, /* outputs in registers */
};

/* Sixteen channels of two lines, channel by channel. */
typedef struct paired {
  __m256i low, high;
} paired;

/* What a window of some lines takes of the input, beginning with a column of it. */
typedef struct paired_window {
  size_t pairs, width, stride, dilation;
  paired taps[PAIRED_WIDTH * PAIRED_PAIRS];  /* [column][pair] */
  paired line[PAIRED_PIXELS * PAIRED_PAIRS]; /* likewise */
} paired_window;

static bool paired_fits(const tarei_dw_planes *p) {
  const int64_t reach = (p->kernel[1] - 1) * p->dilation[1] + 1;
  return p->kernel[0] <= 2 * PAIRED_PAIRS && p->kernel[1] <= PAIRED_WIDTH &&
         p->channels >= PAIRED_LANES && p->stride[1] <= PAIRED_WIDTH &&
         reach <= PAIRED_PIXELS - PAIRED_BLOCK * PAIRED_WIDTH;
}

static void paired_read_taps(const planes_line *l, paired_window *w) {
  const tarei_dw_planes *const p = l->planes;
  const int8_t *const taps = (const int8_t *)p->w + l->channel;
  w->pairs = (size_t)(p->kernel[0] + 1) / 2;
  w->width = (size_t)p->kernel[1];
  w->stride = (size_t)p->stride[1];
  w->dilation = (size_t)p->dilation[1];
  for (size_t i = 0; i < w->width * w->pairs; i++) {
    const size_t ky = i % w->pairs * 2, tap = i / w->pairs * (size_t)p->kernel[0] + ky;
    const bool both = ky + 1 < (size_t)p->kernel[0];
    const int8_t *const at = taps + tap * p->channels;
    const __m128i first = _mm_loadu_si128((const __m128i *)at);
    const __m128i second =
        both ? _mm_loadu_si128((const __m128i *)(at + p->channels)) : _mm_setzero_si128();
    w->taps[i] = (paired){_mm256_cvtepi8_epi16(_mm_unpacklo_epi8(first, second)),
                          _mm256_cvtepi8_epi16(_mm_unpackhi_epi8(first, second))};
  }
}

/* A line of the input that tap row ky meets, or padding; behind the last row, whose taps are zero,
 * the one before. */
TAREI_INLINE const uint8_t *paired_row(const planes_line *l, int64_t ky) {
  const tarei_dw_planes *const p = l->planes;
  const int64_t at = planes_line_at(l, ky < p->kernel[0] ? ky : ky - 1);
  return at < 0 ? p->padding : (const uint8_t *)p->x + at;
}

/* n columns of two lines, `step` bytes apart, from column `i` of the buffer on. */
TAREI_INLINE void paired_read(const uint8_t *first, const uint8_t *second, size_t step, size_t i,
                              size_t n, size_t pairs, paired *to) {
  for (size_t end = i + n; i < end; i++) {
    const __m128i a = _mm_loadu_si128((const __m128i *)first);
    const __m128i b = _mm_loadu_si128((const __m128i *)second);
    to[i * pairs] = (paired){_mm256_cvtepu8_epi16(_mm_unpacklo_epi8(a, b)),
                             _mm256_cvtepu8_epi16(_mm_unpackhi_epi8(a, b))};
    first += step;
    second += step;
  }
}

TAREI_INLINE size_t paired_clamp(int64_t value, size_t most) {
  return value < 0 ? 0 : (size_t)value < most ? (size_t)value : most;
}

/* Columns [x, x + n) of two lines; those beyond the ends are padding. */
static void paired_read_line(const planes_line *l, size_t pair, int64_t x, size_t n,
                             paired_window *w) {
  const tarei_dw_planes *const p = l->planes;
  const uint8_t *const padding = (const uint8_t *)p->padding + l->channel;
  const uint8_t *const first = paired_row(l, 2 * (int64_t)pair) + l->channel;
  const uint8_t *const second = paired_row(l, 2 * (int64_t)pair + 1) + l->channel;
  const size_t begin = paired_clamp(-x, n), stop = paired_clamp(p->in[1] - x, n);
  const size_t end = stop > begin ? stop : begin;
  const size_t at = end > begin ? (size_t)(x + (int64_t)begin) * p->channels : 0;
  paired *const to = w->line + pair;
  paired_read(padding, padding, 0, 0, begin, w->pairs, to);
  paired_read(first + at, second + at, p->channels, begin, end - begin, w->pairs, to);
  paired_read(padding, padding, 0, end, n - end, w->pairs, to);
}

/* Outputs from one on, `sums` GEMM_PANEL apart. */
TAREI_INLINE void paired_outputs(const paired_window *w, const int32_t *add, size_t first,
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

/* Outputs [ox, ox + n) of a line. */
static void paired_line(const planes_line *l, paired_window *w, size_t ox, size_t n,
                        int32_t *sums) {
  const tarei_dw_planes *const p = l->planes;
  const int32_t *const add = p->add + l->channel;
  const size_t reach = (w->width - 1) * w->dilation + 1;
  const size_t most = (PAIRED_PIXELS - reach) / w->stride + 1;
  for (size_t done = 0; done < n;) {
    const size_t some = n - done < most ? n - done : most;
    const int64_t x = (int64_t)((ox + done) * w->stride) - p->pad[1];
    for (size_t pair = 0; pair < w->pairs; pair++) {
      paired_read_line(l, pair, x, (some - 1) * w->stride + reach, w);
    }
    size_t i = 0;
    for (; i + PAIRED_BLOCK <= some; i += PAIRED_BLOCK) {
      paired_outputs(w, add, i, PAIRED_BLOCK, sums + (done + i) * GEMM_PANEL);
    }
    for (; i < some; i++) {
      paired_outputs(w, add, i, 1, sums + (done + i) * GEMM_PANEL);
    }
    done += some;
  }
}

/* Sixteen channels of a tile. */
static void paired_sums(const planes_tile *t, int32_t *sums) {
  paired_window w;
  const planes_line any = planes_line_of(t, 0);
  const size_t width = (size_t)t->planes->out[1];
  paired_read_taps(&any, &w);
  for (size_t done = 0; done < t->rows;) {
    const planes_line l = planes_line_of(t, t->first + done);
    const size_t ox = (t->first + done) % width, left = t->rows - done;
    const size_t n = width - ox < left ? width - ox : left;
    paired_line(&l, &w, ox, n, sums + done * GEMM_PANEL);
    done += n;
  }
}

/* The last sixteen channels end with the last one: what they have in front of the tile, or in
 * common with others, is written where nothing or the same is. */
static void paired_tile(const half_product *product, const tarei_dw_planes *p, size_t first,
                        size_t rows, size_t channel) {
  _Alignas(32) int32_t room[PAIRED_LANES + PAIRED_ROWS * GEMM_PANEL];
  int32_t *const sums = room + PAIRED_LANES;
  const size_t left = p->channels - channel, columns = left < GEMM_PANEL ? left : GEMM_PANEL;
  for (size_t j = 0; j < columns; j += PAIRED_LANES) {
    const size_t last = p->channels - PAIRED_LANES;
    const size_t begin = channel + j < last ? channel + j : last;
    const planes_tile tile = {p, first, rows, begin, PAIRED_LANES};
    paired_sums(&tile, sums + (ptrdiff_t)(begin - channel));
  }
  const half_tile done = {product, sums, first, channel, rows, columns};
  tarei_half_finish__avx2(&done);
}

void tarei_k_dw_planes_i8_u8s8_4x16__avx2(const tarei_dw_planes *p) {
  if (!paired_fits(p)) {
    tarei_k_dw_planes_i8_u8s8_9x16__avx2(p);
    return;
  }
  const size_t outputs = (size_t)((p->line1 - p->line0) * p->out[1]);
  const half_source source = {&p->epilogue, outputs, p->channels,
                              (size_t)(p->kernel[0] * p->kernel[1]), p->add};
  const half_product product = tarei_half_product__avx2(&source);
  for (size_t first = 0; first < outputs; first += PAIRED_ROWS) {
    const size_t rows = outputs - first < PAIRED_ROWS ? outputs - first : PAIRED_ROWS;
    for (size_t channel = 0; channel < p->channels; channel += GEMM_PANEL) {
      paired_tile(&product, p, first, rows, channel);
    }
  }
}
