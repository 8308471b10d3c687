/* Depthwise convolution u8 x s8 over two axes. Two lines of the input at a time are interleaved as
 * words, once for all columns of the window, so that vpmaddwd multiplies two taps. Windows that are
 * higher or wider than usual, and few channels, are left to the kernel for all of them. */
#if !defined(__AVX2__)
#error "needs AVX2"
#endif
#include "kernels/generic/depthwise/dw_planes.h"
#include "kernels/x86/depthwise/dw_i8_pairs.h"

enum {
  PAIRED_ROWS = HALF_MOST_ROWS,
  PAIRED_PAIRS = 2, /* of lines */
  PAIRED_WIDTH = 8, /* columns of a window */
  PAIRED_PIXELS = 64,
};

/* What a window of some lines takes of the input, beginning with a column of it. */
typedef struct paired_lines {
  size_t pairs, width, stride, dilation;
  paired taps[PAIRED_WIDTH * PAIRED_PAIRS];  /* [column][pair] */
  paired line[PAIRED_PIXELS * PAIRED_PAIRS]; /* likewise */
} paired_lines;

static bool paired_fits(const tarei_dw_planes *p) {
  const int64_t reach = (p->kernel[1] - 1) * p->dilation[1] + 1;
  return p->kernel[0] <= 2 * PAIRED_PAIRS && p->kernel[1] <= PAIRED_WIDTH &&
         p->channels >= PAIRED_LANES && p->stride[1] <= PAIRED_WIDTH &&
         reach <= PAIRED_PIXELS - PAIRED_BLOCK * PAIRED_WIDTH;
}

static void paired_read_taps(const planes_line *l, paired_lines *w) {
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
    w->taps[i] = paired_taps(at, both ? at + p->channels : NULL);
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
    to[i * pairs] = paired_bytes(a, b);
    first += step;
    second += step;
  }
}

TAREI_INLINE size_t paired_clamp(int64_t value, size_t most) {
  return value < 0 ? 0 : (size_t)value < most ? (size_t)value : most;
}

/* Columns [x, x + n) of two lines; those beyond the ends are padding. */
static void paired_read_line(const planes_line *l, size_t pair, int64_t x, size_t n,
                             paired_lines *w) {
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

/* Outputs [ox, ox + n) of a line. */
static void paired_line(const planes_line *l, paired_lines *w, size_t ox, size_t n, int32_t *sums) {
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
    const paired_windows windows = {w->taps, w->line, w->pairs, w->width, w->stride, w->dilation};
    paired_outputs(&windows, add, some, sums + done * GEMM_PANEL);
    done += some;
  }
}

static void paired_planes_sums(const paired_tile *tile, size_t channel, int32_t *sums) {
  paired_lines w;
  const planes_tile t = {tile->conv, tile->first, tile->rows, channel, PAIRED_LANES};
  const planes_line any = planes_line_of(&t, 0);
  const size_t width = (size_t)t.planes->out[1];
  paired_read_taps(&any, &w);
  for (size_t done = 0; done < t.rows;) {
    const planes_line l = planes_line_of(&t, t.first + done);
    const size_t ox = (t.first + done) % width, left = t.rows - done;
    const size_t n = width - ox < left ? width - ox : left;
    paired_line(&l, &w, ox, n, sums + done * GEMM_PANEL);
    done += n;
  }
}

void tarei_k_dw_planes_i8_u8s8_4x16__avx2(const tarei_dw_planes *p) {
  _Alignas(32) int32_t room[PAIRED_LANES + PAIRED_ROWS * GEMM_PANEL];
  if (!paired_fits(p)) {
    tarei_k_dw_planes_i8_u8s8_9x16__avx2(p);
    return;
  }
  const size_t outputs = (size_t)((p->line1 - p->line0) * p->out[1]);
  const half_source source = {&p->epilogue, outputs, p->channels,
                              (size_t)(p->kernel[0] * p->kernel[1]), p->add};
  const half_product product = tarei_half_product__avx2(&source);
  paired_run_all(p, &product, outputs, p->channels, PAIRED_ROWS, paired_planes_sums, room);
}
