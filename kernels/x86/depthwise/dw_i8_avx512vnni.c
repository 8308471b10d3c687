/*
 * Depthwise u8 x s8. Time steps 4p..4p+3 of 64 channels are interleaved to dwords, once for the
 * four outputs that begin at them: output 4p + r meets them with the taps shifted by r, and
 * vpdpbusd takes four taps of 16 channels at a time. A dilated convolution falls apart into series
 * of time steps that do not meet; each is a convolution without dilation over rows further apart.
 */
#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512VL__) || \
    !defined(__AVX512DQ__) || !defined(__AVX512VNNI__)
#error "needs AVX-512 F, BW, VL, DQ and VNNI"
#endif
#include <string.h>

#include "kernels/x86/depthwise/dw_i8_dot.h"

enum {
  TILE_ROWS = 240,  /* outputs of a series at a time; a multiple of all blocks */
  MOST_TAPS = 128,  /* at a time */
  MOST_GROUPS = 96, /* of time steps in the buffer */
  MOST_SHIFTS = MOST_TAPS + 2 * DW_TAPS,
  BEFORE = DW_TAPS - 1, /* shifts of the taps before the first */
};

typedef struct workspace {
  __m512i x[DW_VECTORS * MOST_GROUPS];  /* [vector][group] */
  __m512i w[DW_VECTORS * MOST_SHIFTS];  /* [vector][shift] */
  __m512i sums[TILE_ROWS * DW_VECTORS]; /* [row][vector] */
  __m512i add[DW_VECTORS];
} workspace;

/* Outputs of a dilated convolution that meet the same time steps. */
typedef struct series {
  const tarei_dw_conv *conv;
  int64_t at;           /* time step of tap 0 of the first output */
  int64_t step;         /* between taps */
  int64_t stride;       /* between outputs, in such steps */
  size_t out, out_step; /* rows of the epilogue */
  size_t rows;          /* outputs */
} series;

/* Some outputs of a series with some of the taps: what fits the workspace. */
typedef struct part {
  const series *of;
  const dw_stripe *stripe;
  size_t row, rows;
  int64_t tap, taps;
  size_t groups; /* that one output meets */
} part;

static bool shares_groups(const series *s) {
  return s->stride <= DW_MOST_STRIDE;
}

static size_t dw_i8_avx512vnni_smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/* --- buffers ---------------------------------------------------------------------------------- */
static __m512i step_row(const part *p, int64_t at) {
  const tarei_dw_conv *const c = p->of->conv;
  return at < 0 || at >= c->in_length
             ? _mm512_set1_epi8((char)c->zero_point)
             : dw_load_row(p->stripe, (const uint8_t *)c->x + (size_t)at * c->ldx);
}

/* Groups [g, end) of time steps, the first of which is `at`; their rows are all there. */
TAREI_INLINE void fill_inside(const part *p, int64_t at, size_t g, size_t end, __m512i *to) {
  const dw_stripe stripe = *p->stripe;
  const size_t next = (size_t)p->of->step * p->of->conv->ldx;
  const uint8_t *x = (const uint8_t *)p->of->conv->x + (size_t)at * p->of->conv->ldx;
  for (; g < end; g++) {
    const __m512i row[DW_TAPS] = {dw_load_row(&stripe, x), dw_load_row(&stripe, x + next),
                                  dw_load_row(&stripe, x + 2 * next),
                                  dw_load_row(&stripe, x + 3 * next)};
    dw_interleave(&stripe, row, to + g, MOST_GROUPS);
    x += DW_TAPS * next;
  }
}

static void fill_checked(const part *p, int64_t at, size_t g, __m512i *to) {
  __m512i row[DW_TAPS];
  for (int i = 0; i < DW_TAPS; i++) {
    row[i] = step_row(p, at + i * p->of->step);
  }
  dw_interleave(p->stripe, row, to + g, MOST_GROUPS);
}

/* Interleaves groups of time steps, the first of which is `at`. */
static void fill_groups(const part *p, int64_t at, size_t groups, __m512i *to) {
  const int64_t of_group = DW_TAPS * p->of->step;
  const int64_t last = p->of->conv->in_length - (of_group - p->of->step); /* + 1, to be inside */
  size_t g = 0;
  for (; g < groups && at < 0; g++, at += of_group) {
    fill_checked(p, at, g, to);
  }
  const size_t inside = at < last ? (size_t)((last - at + of_group - 1) / of_group) : 0;
  const size_t end = dw_i8_avx512vnni_smaller(g + inside, groups);
  if (g < end) {
    fill_inside(p, at, g, end, to);
    at += (int64_t)(end - g) * of_group;
  }
  for (g = g < end ? end : g; g < groups; g++, at += of_group) {
    fill_checked(p, at, g, to);
  }
}

/* Sees to it that the buffer holds what outputs before `end` meet. `filled` of its groups it does.
 */
static size_t fill_steps(const part *p, size_t end, size_t filled, workspace *w) {
  const series *const s = p->of;
  const int64_t at = s->at + ((int64_t)p->row * s->stride + p->tap) * s->step;
  if (shares_groups(s)) {
    const size_t needed = (end - 1) * (size_t)s->stride / DW_TAPS + p->groups;
    const int64_t next = at + (int64_t)(filled * DW_TAPS) * s->step;
    fill_groups(p, next, needed - filled, w->x + filled);
    return needed;
  }
  const size_t first = filled / p->groups;
  for (size_t i = first; i < end && i < p->rows; i++) {
    fill_groups(p, at + (int64_t)i * s->stride * s->step, p->groups, w->x + i * p->groups);
  }
  return end * p->groups;
}

static __m512i tap_row(const part *p, int64_t tap) {
  const tarei_dw_conv *const c = p->of->conv;
  return tap >= p->taps
             ? _mm512_setzero_si512()
             : dw_load_row(p->stripe, (const uint8_t *)c->w + (size_t)(p->tap + tap) * c->channels);
}

/* Taps j..j+3 for each j from -3 on: group g is 4g - r to an output shifted by r. */
static void dw_i8_avx512vnni_fill_taps(const part *p, workspace *w) {
  const __m512i none = _mm512_setzero_si512();
  __m512i row[DW_TAPS] = {none, none, none, tap_row(p, 0)};
  const size_t shifts = DW_TAPS * p->groups + BEFORE;
  for (size_t j = 0; j < shifts; j++) {
    dw_interleave(p->stripe, row, w->w + j, MOST_SHIFTS);
    row[0] = row[1];
    row[1] = row[2];
    row[2] = row[3];
    row[3] = tap_row(p, (int64_t)j + 1);
  }
}

/* --- sums ------------------------------------------------------------------------------------- */
/* All vectors of one output that shares nothing. */
static void dot_alone(const part *p, workspace *w, size_t row, const __m512i *first,
                      __m512i *sums) {
  __m512i sum[DW_VECTORS];
  const __m512i *const x = w->x + row * p->groups;
  memcpy(sum, first, sizeof sum);
  for (size_t g = 0; g < p->groups; g++) {
#pragma GCC unroll 4
    for (size_t v = 0; v < DW_VECTORS; v++) {
      DW_DOT(sum[v], x[v * MOST_GROUPS + g], w->w[v * MOST_SHIFTS + BEFORE + g * DW_TAPS]);
    }
  }
  memcpy(sums, sum, sizeof sum);
}

/* --- walking ---------------------------------------------------------------------------------- */
/* Outputs [i, i + rows) of the part; blocks compute up to three more. */
static void compute_rows(const part *p, const dw_finisher *f, workspace *w, size_t i, size_t rows) {
  const series *const s = p->of;
  const size_t stride = (size_t)s->stride;
  const bool first = p->tap == 0, last = p->tap + p->taps == s->conv->kernel;
  const bool quick = last && f->quick && shares_groups(s);
  __m512i *const sums = w->sums + (first && last ? 0 : i * DW_VECTORS);
  const __m512i *const start = first ? w->add : sums;
  const size_t between = first ? 0 : DW_VECTORS;
  for (size_t v = 0; v < p->stripe->vectors && shares_groups(s); v++) {
    const dw_block b = {.x = w->x + v * MOST_GROUPS + i * stride / DW_TAPS,
                        .w = w->w + v * MOST_SHIFTS + BEFORE,
                        .first = start + v,
                        .between = between,
                        .sums = sums + v,
                        .groups = p->groups,
                        .vector = v,
                        .quick = quick ? f : NULL};
    dw_dots[stride - 1].dot[(rows - 1) / 4](&b);
  }
  for (size_t k = 0; k < rows && !shares_groups(s); k++) {
    dot_alone(p, w, i + k, start + k * between, sums + k * DW_VECTORS);
  }
  const dw_rows to = {s->out + (p->row + i) * s->out_step, s->out_step, rows};
  if (quick) {
    dw_store_quads(f, p->stripe, sums, &to);
  } else if (last) {
    dw_finish_by_epilogue(f, p->stripe, sums, &to);
  }
}

/* Blocks of nearly equal height. */
static void compute_part(const part *p, const dw_finisher *f, workspace *w) {
  const series *const s = p->of;
  const size_t most = shares_groups(s) ? dw_dots[s->stride - 1].most_rows : DW_MOST_ROWS;
  const size_t fours = (p->rows + 3) / 4;
  const size_t blocks = (fours * 4 + most - 1) / most;
  size_t filled = 0;
  for (size_t q = 0; q < blocks; q++) {
    const size_t i = fours * q / blocks * 4, end = fours * (q + 1) / blocks * 4;
    filled = fill_steps(p, end, filled, w);
    compute_rows(p, f, w, i, dw_i8_avx512vnni_smaller(end, p->rows) - i);
  }
}

static part dw_i8_avx512vnni_part_of(const series *s, const dw_stripe *stripe, int64_t tap) {
  part p = {.of = s, .stripe = stripe, .tap = tap, .taps = s->conv->kernel - tap};
  p.taps = p.taps < MOST_TAPS ? p.taps : MOST_TAPS;
  const size_t shift = shares_groups(s) ? dw_dots[s->stride - 1].most_shift : 0;
  p.groups = ((size_t)p.taps + shift + DW_TAPS - 1) / DW_TAPS;
  return p;
}

/* Outputs whose time steps fit the buffer. */
static size_t fitting_rows(const part *p) {
  if (!shares_groups(p->of)) {
    return dw_i8_avx512vnni_smaller(MOST_GROUPS / p->groups, TILE_ROWS);
  }
  const size_t rows = (MOST_GROUPS - p->groups) * DW_TAPS / (size_t)p->of->stride;
  return dw_i8_avx512vnni_smaller(rows / DW_TAPS * DW_TAPS, TILE_ROWS);
}

static void compute_series(const series *s, const dw_stripe *stripe, const dw_finisher *finisher,
                           workspace *w) {
  part p = dw_i8_avx512vnni_part_of(s, stripe, 0);
  const size_t at_once = fitting_rows(&p);
  const bool whole = p.taps == s->conv->kernel;
  dw_i8_avx512vnni_fill_taps(&p, w);
  for (size_t row = 0; row < s->rows; row += at_once) {
    for (int64_t tap = 0; tap < s->conv->kernel; tap += MOST_TAPS) {
      p = dw_i8_avx512vnni_part_of(s, stripe, tap);
      p.row = row;
      p.rows = dw_i8_avx512vnni_smaller(at_once, s->rows - row);
      if (!whole) {
        dw_i8_avx512vnni_fill_taps(&p, w);
      }
      compute_part(&p, finisher, w);
    }
  }
}

static int64_t common_divisor(int64_t a, int64_t b) {
  while (b) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static void compute_stripe(const tarei_dw_conv *c, const dw_stripe *stripe) {
  workspace w;
  for (size_t v = 0; v < DW_VECTORS; v++) {
    w.add[v] = dw_per_channel(stripe, v, c->add);
  }
  dw_finisher finisher;
  dw_finisher_init(&finisher, &c->epilogue, c->kernel, stripe, w.add);
  const int64_t divisor = common_divisor(c->stride, c->dilation);
  const int64_t n = c->dilation / divisor; /* series */
  for (int64_t t = c->t0; t < c->t1 && t < c->t0 + n; t++) {
    const series s = {.conv = c,
                      .at = t * c->stride - c->pad,
                      .step = c->dilation,
                      .stride = c->stride / divisor,
                      .out = (size_t)(t - c->t0),
                      .out_step = (size_t)n,
                      .rows = (size_t)((c->t1 - t + n - 1) / n)};
    compute_series(&s, stripe, &finisher, &w);
  }
}

void tarei_k_dw_conv_i8_u8s8_20x16__avx512vnni(const tarei_dw_conv *c) {
  for (size_t channel = 0; channel < c->channels; channel += DW_STRIPE) {
    const dw_stripe stripe = dw_stripe_at(c->channels, channel);
    compute_stripe(c, &stripe);
  }
}
