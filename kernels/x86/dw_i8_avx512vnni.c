/* Depthwise u8 x s8: four time steps of 16 channels are interleaved to dwords in a buffer, once for
 * all outputs that meet them; then vpdpbusd takes four taps of 16 channels at a time. */
#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512VL__) || \
    !defined(__AVX512DQ__) || !defined(__AVX512VNNI__)
#error "needs AVX-512 F, BW, VL, DQ and VNNI"
#endif
#include <immintrin.h>

#include "kernels/generic/dw_tile.h"

enum {
  TAPS = 4,         /* in a group */
  MAX_GROUPS = 64,  /* at a time */
  MAX_STEPS = 512,  /* time steps in the buffer */
  ROWS = 16,        /* outputs in registers */
};

/* gcc 12 spills the accumulators around the intrinsic. */
#define DOT(acc, a, b) __asm__("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(a), "v"(b))

/* Four rows of 16 bytes become 16 dwords of one byte each. */
TAREI_INLINE __m512i interleave(__m128i r0, __m128i r1, __m128i r2, __m128i r3) {
  const __m512i dwords = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m512i bytes = _mm512_broadcast_i32x4(
      _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
  __m512i v = _mm512_castsi128_si512(r0);
  v = _mm512_inserti32x4(v, r1, 1);
  v = _mm512_inserti32x4(v, r2, 2);
  v = _mm512_inserti32x4(v, r3, 3);
  return _mm512_shuffle_epi8(_mm512_permutexvar_epi32(dwords, v), bytes);
}

typedef struct workspace {
  __m512i steps[MAX_STEPS];
  __m512i taps[MAX_GROUPS];
  __m512i sums[DW_TILE_ROWS];
} workspace;

/* Some outputs of a tile with some of the taps: what fits the workspace. */
typedef struct part {
  const dw_tile *tile;
  size_t row, rows;
  int64_t tap;
  size_t groups;
  size_t group_steps; /* between the time steps of two groups */
} part;

TAREI_INLINE __m128i step_row(const dw_tile *t, int64_t at) {
  const tarei_dw_conv *const c = t->conv;
  if (at < 0 || at >= c->in_length) {
    return _mm_set1_epi8((char)c->zero_point);
  }
  const __mmask16 lanes = (__mmask16)((1u << t->lanes) - 1u);
  return _mm_maskz_loadu_epi8(lanes, (const uint8_t *)c->x + (size_t)at * c->ldx + t->channel);
}

TAREI_INLINE __m128i full_row(const uint8_t *x) {
  return _mm_loadu_si128((const __m128i *)x);
}

/* Steps [s, end) by looking at each row. */
static void fill_steps_checked(const dw_tile *t, int64_t first, size_t s, size_t end,
                               __m512i *steps) {
  const int64_t d = t->conv->dilation;
  for (; s < end; s++) {
    const int64_t at = first + (int64_t)s;
    steps[s] = interleave(step_row(t, at), step_row(t, at + d), step_row(t, at + 2 * d),
                          step_row(t, at + 3 * d));
  }
}

static size_t within(int64_t value, size_t limit) {
  return value < 0 ? 0 : (size_t)value < limit ? (size_t)value : limit;
}

static void fill_steps(const part *p, __m512i *steps) {
  const dw_tile *const t = p->tile;
  const tarei_dw_conv *const c = t->conv;
  const size_t n = (p->rows - 1) * (size_t)c->stride + 1 + (p->groups - 1) * p->group_steps;
  const int64_t first =
      (t->t + (int64_t)p->row) * c->stride - c->pad + p->tap * c->dilation;
  /* steps all of whose rows are there */
  const bool full = t->lanes == DW_TILE_CHANNELS;
  const size_t begin = full ? within(-first, n) : n;
  const size_t end = within(c->in_length - (TAPS - 1) * c->dilation - first, n);
  fill_steps_checked(t, first, 0, begin, steps);
  const size_t ahead = (size_t)c->dilation * c->ldx;
  for (size_t s = begin; s < end; s++) {
    const size_t at = (size_t)(first + (int64_t)s);
    const uint8_t *const x = (const uint8_t *)c->x + at * c->ldx + t->channel;
    steps[s] = interleave(full_row(x), full_row(x + ahead), full_row(x + 2 * ahead),
                          full_row(x + 3 * ahead));
  }
  fill_steps_checked(t, first, begin < end ? end : begin, n, steps);
}

TAREI_INLINE __m128i tap_row(const dw_tile *t, int64_t tap) {
  if (tap >= t->conv->kernel) {
    return _mm_setzero_si128();
  }
  const __mmask16 lanes = (__mmask16)((1u << t->lanes) - 1u);
  const int8_t *const w = (const int8_t *)t->conv->w + (size_t)tap * t->conv->channels;
  return _mm_maskz_loadu_epi8(lanes, w + t->channel);
}

static void fill_taps(const part *p, __m512i *taps) {
  for (size_t g = 0; g < p->groups; g++) {
    const int64_t tap = p->tap + (int64_t)g * TAPS;
    taps[g] = interleave(tap_row(p->tile, tap), tap_row(p->tile, tap + 1),
                         tap_row(p->tile, tap + 2), tap_row(p->tile, tap + 3));
  }
}

TAREI_INLINE void dot_rows(const part *p, workspace *w, size_t i0, const size_t rows,
                           const size_t stride) {
  __m512i sum[ROWS];
  const __m512i *x = w->steps + i0 * stride;
  __m512i *const sums = w->sums + p->row + i0;
#pragma GCC unroll 16
  for (size_t i = 0; i < rows; i++) {
    sum[i] = sums[i];
  }
  for (size_t g = 0; g < p->groups; g++) {
    const __m512i tap = w->taps[g];
#pragma GCC unroll 16
    for (size_t i = 0; i < rows; i++) {
      DOT(sum[i], x[i * stride], tap);
    }
    x += p->group_steps;
  }
#pragma GCC unroll 16
  for (size_t i = 0; i < rows; i++) {
    sums[i] = sum[i];
  }
}

TAREI_INLINE void dot_part(const part *p, workspace *w, const size_t stride) {
  size_t i = 0;
  for (; i + ROWS <= p->rows; i += ROWS) {
    dot_rows(p, w, i, ROWS, stride);
  }
  for (; i + 4 <= p->rows; i += 4) {
    dot_rows(p, w, i, 4, stride);
  }
  for (; i < p->rows; i++) {
    dot_rows(p, w, i, 1, stride);
  }
}

static void compute_part(const part *p, workspace *w) {
  const size_t stride = (size_t)p->tile->conv->stride;
  fill_steps(p, w->steps);
  fill_taps(p, w->taps);
  if (stride == 1) {
    dot_part(p, w, 1);
  } else {
    dot_part(p, w, stride);
  }
}

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/* All taps for rows [row, row + rows), as many groups at a time as fit. */
static void compute_rows(const dw_tile *t, size_t row, size_t rows, workspace *w) {
  const tarei_dw_conv *const c = t->conv;
  const size_t group_steps = TAPS * (size_t)c->dilation;
  const size_t reach = (rows - 1) * (size_t)c->stride + 1;
  const size_t fitting = smaller((MAX_STEPS - reach) / group_steps + 1, MAX_GROUPS);
  const size_t groups = ((size_t)c->kernel + TAPS - 1) / TAPS;
  for (size_t g = 0; g < groups; g += fitting) {
    const part p = {t, row, rows, (int64_t)(g * TAPS), smaller(fitting, groups - g), group_steps};
    compute_part(&p, w);
  }
}

static void dw_i8_tile(const dw_tile *t, float (*acc)[DW_TILE_CHANNELS]) {
  workspace w;
  const __mmask16 lanes = (__mmask16)((1u << t->lanes) - 1u);
  const __m512i add = _mm512_maskz_loadu_epi32(lanes, t->conv->add + t->channel);
  for (size_t i = 0; i < t->rows; i++) {
    w.sums[i] = add;
  }
  const size_t at_once = (MAX_STEPS - 1) / (size_t)t->conv->stride + 1;
  for (size_t i = 0; i < t->rows; i += at_once) {
    compute_rows(t, i, smaller(at_once, t->rows - i), &w);
  }
  for (size_t i = 0; i < t->rows; i++) {
    _mm512_store_ps(acc[i], _mm512_cvtepi32_ps(w.sums[i]));
  }
}

void tare_k_dw_conv_i8_u8s8_16x16__avx512vnni(const tarei_dw_conv *c) {
  dw_walk(c, dw_i8_tile, tarei_epilogue__avx512);
}
