/*
 * Depthwise u8 x s8 over two axes. The bytes of four lines of the input that lie in one column
 * become dwords of 64 channels, and vpdpbusd takes four taps of 16 channels at a time. Windows of
 * three rows use three of the four lines, and those of the next line of the output the three below,
 * so that two lines of the output share the dwords; taps of zero stand where a window has no row.
 */
#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512VL__) || \
    !defined(__AVX512DQ__) || !defined(__AVX512VNNI__)
#error "needs AVX-512 F, BW, VL, DQ and VNNI"
#endif
#include "kernels/x86/depthwise/dw_i8_slide.h"

enum {
  MOST_QUADS = 128, /* columns times groups of four lines in the buffer: 32 KiB */
  MOST_TAPS = 96,   /* dwords of taps, of all lines that share columns */
  BLOCK = 8,        /* outputs at a time */
};

/* gcc 12 spills the accumulators around the intrinsic. */
#define PLANES_DOT(acc, a, b) __asm__("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(a), "v"(b))

/* How windows are cut; the same for all stripes. */
typedef struct planes_cut {
  const tarei_dw_planes *planes;
  size_t groups; /* of four rows in a window */
  size_t shared; /* lines of the output that meet the same dwords */
  size_t width;  /* columns of a window */
  size_t most;   /* outputs of a line at a time, in whole blocks */
} planes_cut;

typedef struct planes_workspace {
  __m512i x[MOST_QUADS * DW_VECTORS]; /* [column][group][vector] */
  __m512i w[MOST_TAPS * DW_VECTORS];  /* [line][column][group][vector] */
  __m512i sums[BLOCK * DW_VECTORS];   /* [row][vector] */
  __m512i add[DW_VECTORS];
} planes_workspace;

/* Some outputs of a line, or of the lines that share columns. */
typedef struct planes_part {
  const planes_cut *cut;
  const dw_stripe *stripe;
  const dw_finisher *finisher;
  int64_t line, lines; /* of all samples */
  int64_t ox, end;
} planes_part;

/* False where no output fits the buffers. */
static bool planes_cut_of(const tarei_dw_planes *p, planes_cut *c) {
  const int64_t height = p->kernel[0], reach = (p->kernel[1] - 1) * p->dilation[1] + 1;
  if (height > DW_TAPS * MOST_TAPS || reach > MOST_QUADS) {
    return false;
  }
  c->planes = p;
  c->groups = ((size_t)height + DW_TAPS - 1) / DW_TAPS;
  c->width = (size_t)p->kernel[1];
  c->shared = 1;
  if (p->dilation[0] == 1) {
    c->shared += (c->groups * DW_TAPS - (size_t)height) / (size_t)p->stride[0];
  }
  if (c->shared * c->width * c->groups > MOST_TAPS) {
    c->shared = 1;
  }
  const size_t columns = MOST_QUADS / c->groups;
  if (c->width * c->groups > MOST_TAPS || (size_t)reach > columns) {
    return false;
  }
  c->most = ((columns - (size_t)reach) / (size_t)p->stride[1] + 1) / BLOCK * BLOCK;
  return c->most > 0;
}

/* --- buffers ---------------------------------------------------------------------------------- */
/* The rows of a window, shifted down for each line that shares columns. */
static void planes_fill_taps(const planes_cut *c, const dw_stripe *stripe, planes_workspace *w) {
  const tarei_dw_planes *const p = c->planes;
  __m512i *to = w->w;
  for (size_t line = 0; line < c->shared; line++) {
    for (size_t kx = 0; kx < c->width; kx++) {
      for (size_t g = 0; g < c->groups; g++) {
        __m512i row[DW_TAPS];
        for (size_t i = 0; i < DW_TAPS; i++) {
          const int64_t ky = (int64_t)(g * DW_TAPS + i) - (int64_t)line * p->stride[0];
          const size_t tap = kx * (size_t)p->kernel[0] + (size_t)ky;
          row[i] = ky < 0 || ky >= p->kernel[0]
                       ? _mm512_setzero_si512()
                       : dw_load_row(stripe, (const uint8_t *)p->w + tap * p->channels);
        }
        dw_interleave(stripe, row, to, 1);
        to += DW_VECTORS;
      }
    }
  }
}

/* Four lines of the input, each from column `at` on; lines beyond it are padding. */
static void planes_lines_at(const planes_part *t, size_t group, int64_t at, const uint8_t **row) {
  const tarei_dw_planes *const p = t->cut->planes;
  const int64_t batch = t->line / p->out[0];
  const int64_t first = t->line % p->out[0] * p->stride[0] - p->pad[0];
  for (size_t i = 0; i < DW_TAPS; i++) {
    const int64_t y = first + (int64_t)(group * DW_TAPS + i) * p->dilation[0];
    const int64_t line = y < 0 || y >= p->in[0] ? 0 : (batch * p->in[0] + y) * p->in[1];
    row[i] = (const uint8_t *)(y < 0 || y >= p->in[0] ? p->padding : p->x) +
             (size_t)(line + at) * p->channels;
  }
}

TAREI_INLINE void planes_fill_group(const planes_part *t, size_t group, int64_t at, size_t columns,
                                    __m512i *to) {
  const tarei_dw_planes *const p = t->cut->planes;
  const dw_stripe stripe = *t->stripe;
  const size_t next = t->cut->groups * DW_VECTORS, channels = p->channels;
  const uint8_t *row[DW_TAPS];
  planes_lines_at(t, group, at, row);
  for (size_t i = 0; i < columns; i++) {
    const __m512i x[DW_TAPS] = {dw_load_row(&stripe, row[0]), dw_load_row(&stripe, row[1]),
                                dw_load_row(&stripe, row[2]), dw_load_row(&stripe, row[3])};
    dw_interleave(&stripe, x, to, 1);
    to += next;
    for (size_t k = 0; k < DW_TAPS; k++) {
      row[k] += channels;
    }
  }
}

static void planes_fill_outside(const planes_part *t, size_t columns, __m512i *to) {
  const tarei_dw_planes *const p = t->cut->planes;
  const __m512i outside = dw_load_row(t->stripe, p->padding);
  const __m512i row[DW_TAPS] = {outside, outside, outside, outside};
  for (size_t i = 0; i < columns * t->cut->groups; i++) {
    dw_interleave(t->stripe, row, to + i * DW_VECTORS, 1);
  }
}

/* The columns that the outputs of a part meet. */
static void planes_fill(const planes_part *t, planes_workspace *w) {
  const tarei_dw_planes *const p = t->cut->planes;
  const size_t step = t->cut->groups * DW_VECTORS;
  const int64_t at = t->ox * p->stride[1] - p->pad[1];
  const int64_t end =
      at + (t->end - t->ox - 1) * p->stride[1] + (p->kernel[1] - 1) * p->dilation[1] + 1;
  const int64_t first = at > 0 ? at < end ? at : end : end < 0 ? end : 0;
  const int64_t last = end < p->in[1] ? end : p->in[1] > first ? p->in[1] : first;
  planes_fill_outside(t, (size_t)(first - at), w->x);
  if (first < last) {
    for (size_t g = 0; g < t->cut->groups; g++) {
      planes_fill_group(t, g, first, (size_t)(last - first),
                        w->x + (size_t)(first - at) * step + g * DW_VECTORS);
    }
  }
  const int64_t beyond = last > first ? last : first;
  planes_fill_outside(t, (size_t)(end - beyond), w->x + (size_t)(beyond - at) * step);
}

/* --- sums ------------------------------------------------------------------------------------- */
/* Vector v of `rows` outputs; `three`: windows of three columns and one group. */
TAREI_INLINE void planes_dots(const planes_cut *c, const __m512i *x, const __m512i *taps,
                              __m512i first, __m512i *sum, const size_t rows, const bool three) {
  const size_t groups = three ? 1 : c->groups, width = three ? 3 : c->width;
  const size_t step = groups * DW_VECTORS;
  const size_t apart = (size_t)c->planes->stride[1] * step;
  const size_t next = (size_t)c->planes->dilation[1] * step;
#pragma GCC unroll 8
  for (size_t i = 0; i < rows; i++) {
    sum[i] = first;
  }
#pragma GCC unroll 3
  for (size_t kx = 0; kx < width; kx++) {
    const __m512i *at = x;
    for (size_t g = 0; g < groups; g++) {
      const __m512i tap = *taps;
#pragma GCC unroll 8
      for (size_t i = 0; i < rows; i++) {
        PLANES_DOT(sum[i], at[i * apart], tap);
      }
      at += DW_VECTORS;
      taps += DW_VECTORS;
    }
    x += next;
  }
}

/* Outputs [i, i + n) of a line of the part, n at most `rows`; the buffer has room for what the rest
 * would meet. */
TAREI_INLINE void planes_block(const planes_part *t, planes_workspace *w, size_t line, size_t i,
                               size_t n, const size_t rows, const bool three) {
  const planes_cut *const c = t->cut;
  const tarei_dw_planes *const p = c->planes;
  const dw_finisher *const f = t->finisher;
  const __m512i *const x = w->x + i * (size_t)p->stride[1] * c->groups * DW_VECTORS;
  const __m512i *const taps = w->w + line * c->width * c->groups * DW_VECTORS;
  for (size_t v = 0; v < t->stripe->vectors; v++) {
    __m512i sum[BLOCK];
    planes_dots(c, x + v, taps + v, w->add[v], sum, rows, three);
    if (f->quick) {
      dw_finish_quads(f, v, sum, rows, w->sums + v);
      continue;
    }
#pragma GCC unroll 8
    for (size_t k = 0; k < rows; k++) {
      w->sums[k * DW_VECTORS + v] = sum[k];
    }
  }
  const size_t first = (size_t)((t->line - p->line0 + (int64_t)line) * p->out[1] + t->ox);
  const dw_rows to = {first + i, 1, n};
  if (f->quick) {
    dw_store_quads(f, t->stripe, w->sums, &to);
  } else {
    dw_finish_by_epilogue(f, t->stripe, w->sums, &to);
  }
}

TAREI_INLINE void planes_compute(const planes_part *t, planes_workspace *w, const bool three) {
  const size_t n = (size_t)(t->end - t->ox);
  for (size_t line = 0; line < (size_t)t->lines; line++) {
    size_t i = 0;
    for (; i + DW_QUAD < n; i += BLOCK) {
      planes_block(t, w, line, i, n - i < BLOCK ? n - i : BLOCK, BLOCK, three);
    }
    if (i < n) {
      planes_block(t, w, line, i, n - i, DW_QUAD, three);
    }
  }
}

/* --- walking ---------------------------------------------------------------------------------- */
/* The lines that share columns lie in one sample. */
static int64_t planes_lines_from(const planes_cut *c, int64_t line, size_t most) {
  const tarei_dw_planes *const p = c->planes;
  const int64_t here = p->out[0] - line % p->out[0], left = p->line1 - line;
  const int64_t n = here < left ? here : left;
  return n < (int64_t)most ? n : (int64_t)most;
}

static void planes_slide(planes_part *t, const planes_workspace *w) {
  const tarei_dw_planes *const p = t->cut->planes;
  const size_t most = t->cut->shared < SLIDE_LINES ? t->cut->shared : SLIDE_LINES;
  slide s = {.planes = p,
             .stripe = t->stripe,
             .finisher = t->finisher,
             .taps = w->w,
             .add = w->add,
             .ld = p->epilogue.ld_u8,
             .line_step = (size_t)p->out[1] * p->epilogue.ld_u8};
  for (t->line = p->line0; t->line < p->line1; t->line += t->lines) {
    t->lines = planes_lines_from(t->cut, t->line, most);
    s.out = p->epilogue.out_u8 + (size_t)(t->line - p->line0) * s.line_step + t->stripe->channel;
    planes_lines_at(t, 0 /* group */, 0, s.row);
    slide_run(&s, (size_t)t->lines);
  }
}

static void planes_stripe(const planes_cut *c, const dw_stripe *stripe) {
  const tarei_dw_planes *const p = c->planes;
  planes_workspace w;
  dw_finisher finisher;
  for (size_t v = 0; v < stripe->vectors; v++) {
    w.add[v] = dw_per_channel(stripe, v, p->add);
  }
  dw_finisher_init(&finisher, &p->epilogue, p->kernel[0] * p->kernel[1], stripe, w.add);
  planes_fill_taps(c, stripe, &w);
  const bool three = c->width == 3 && c->groups == 1;
  planes_part t = {.cut = c, .stripe = stripe, .finisher = &finisher};
  if (slide_fits(p, &finisher)) {
    planes_slide(&t, &w);
    return;
  }
  for (t.line = p->line0; t.line < p->line1; t.line += t.lines) {
    t.lines = planes_lines_from(c, t.line, c->shared);
    for (t.ox = 0; t.ox < p->out[1]; t.ox = t.end) {
      t.end = p->out[1] - t.ox < (int64_t)c->most ? p->out[1] : t.ox + (int64_t)c->most;
      planes_fill(&t, &w);
      if (three) {
        planes_compute(&t, &w, true);
      } else {
        planes_compute(&t, &w, false);
      }
    }
  }
}

void tarei_k_dw_planes_i8_u8s8_8x64__avx512vnni(const tarei_dw_planes *p) {
  planes_cut cut;
  if (!planes_cut_of(p, &cut)) {
    tarei_k_dw_planes_i8_u8s8_9x16__avx512(p);
    return;
  }
  for (size_t channel = 0; channel < p->channels; channel += DW_STRIPE) {
    const dw_stripe stripe = dw_stripe_at(p->channels, channel);
    planes_stripe(&cut, &stripe);
  }
}
