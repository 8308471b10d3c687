/*
 * Windows of three columns and up to four lines, with results that are bytes: along a line, the
 * sums of the outputs that meet a column stay in registers. Each column becomes dwords once, for
 * all of them and for two lines of outputs where a window has three lines or fewer. Bytes come out
 * in the order of the channels, since packing the vectors of an output undoes the interleaving.
 */
#ifndef TAREI_KERNELS_X86_DEPTHWISE_DW_I8_SLIDE_H
#define TAREI_KERNELS_X86_DEPTHWISE_DW_I8_SLIDE_H

#include "kernels/x86/depthwise/dw_i8_finish.h"

enum { SLIDE_WIDTH = 3, SLIDE_LINES = 2, SLIDE_STRIDE = 2 /* at most */ };

/* Taps come from memory, which leaves the registers to the sums. */
#define SLIDE_DOT(acc, a, b) __asm__("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(a), "m"(b))

/* Lines of outputs that share columns. */
typedef struct slide {
  const tarei_dw_planes *planes;
  const dw_stripe *stripe;
  const dw_finisher *finisher;
  const uint8_t *row[DW_TAPS]; /* column 0 of the lines of the input, or padding */
  const __m512i *taps;         /* [line][column][DW_VECTORS] */
  const __m512i *add;
  uint8_t *out;         /* channels of the stripe of the first output */
  size_t ld, line_step; /* between outputs and their lines */
} slide;

typedef struct slide_sums {
  __m512i v[SLIDE_LINES][DW_VECTORS];
} slide_sums;

/* Dwords of the column, which may lie beyond the ends of the lines. */
TAREI_INLINE void slide_column(const slide *s, const dw_stripe *stripe, int64_t at, __m512i *x) {
  const tarei_dw_planes *const p = s->planes;
  if (at >= 0 && at < p->in[1]) {
    const size_t offset = (size_t)at * p->channels;
    const __m512i row[DW_TAPS] = {
        dw_load_row(stripe, s->row[0] + offset), dw_load_row(stripe, s->row[1] + offset),
        dw_load_row(stripe, s->row[2] + offset), dw_load_row(stripe, s->row[3] + offset)};
    dw_interleave(stripe, row, x, 1);
  } else {
    const __m512i outside = dw_load_row(stripe, p->padding);
    const __m512i row[DW_TAPS] = {outside, outside, outside, outside};
    dw_interleave(stripe, row, x, 1);
  }
}

/* Adds column kx of the windows; the first one begins the sums. */
TAREI_INLINE void slide_add(const slide *s, slide_sums *sums, const __m512i *x, const size_t kx,
                            const size_t lines, const size_t vectors) {
#pragma GCC unroll 2
  for (size_t line = 0; line < lines; line++) {
    const __m512i *const taps = s->taps + (line * SLIDE_WIDTH + kx) * DW_VECTORS;
#pragma GCC unroll 4
    for (size_t v = 0; v < vectors; v++) {
      sums->v[line][v] = kx == 0 ? s->add[v] : sums->v[line][v];
      SLIDE_DOT(sums->v[line][v], x[v], taps[v]);
    }
  }
}

/* What rounding to bytes needs. */
typedef struct slide_bytes {
  __m512i zero_point, low, high;
} slide_bytes;

TAREI_INLINE slide_bytes slide_bytes_of(const dw_finisher *f) {
  return (slide_bytes){_mm512_set1_epi16((int16_t)f->epilogue->zero_point),
                       _mm512_set1_epi8((char)f->bounds.low),
                       _mm512_set1_epi8((char)f->bounds.high)};
}

/* Two vectors as words; a bias of 0 changes no result. */
TAREI_INLINE __m512i slide_words(const dw_finisher *f, const slide_bytes *b, const __m512i *sum,
                                 const size_t v) {
  const dw_scaling first = {.mult = f->mult[v], .bias = f->bias[v]};
  const dw_scaling second = {.mult = f->mult[v + 1], .bias = f->bias[v + 1]};
  return _mm512_adds_epi16(_mm512_packs_epi32(dw_rounded(&first, sum[v], DW_FORM_FOLDED),
                                              dw_rounded(&second, sum[v + 1], DW_FORM_FOLDED)),
                           b->zero_point);
}

TAREI_INLINE __m512i slide_pack(const slide_bytes *b, __m512i first, __m512i second) {
  return _mm512_min_epu8(_mm512_max_epu8(_mm512_packus_epi16(first, second), b->low), b->high);
}

/* Stores output `o` of each line. */
TAREI_INLINE void slide_put(const slide *s, const slide_bytes *b, __mmask64 mask,
                            const slide_sums *sums, int64_t o, const size_t lines,
                            const size_t vectors) {
  const dw_finisher *const f = s->finisher;
  uint8_t *const to = s->out + (size_t)o * s->ld;
  if (vectors == DW_VECTORS) {
#pragma GCC unroll 2
    for (size_t line = 0; line < lines; line++) {
      const __m512i *const sum = sums->v[line];
      const __m512i bytes = slide_pack(b, slide_words(f, b, sum, 0), slide_words(f, b, sum, 2));
      _mm512_mask_storeu_epi8(to + line * s->line_step, mask, bytes);
    }
    return;
  }
  const __m512i in_order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  const __m512i words = slide_words(f, b, sums->v[0], 0);
  const __m512i more = lines > 1 ? slide_words(f, b, sums->v[1], 0) : words;
  const __m512i bytes = _mm512_permutexvar_epi64(in_order, slide_pack(b, words, more));
  _mm256_mask_storeu_epi8(to, (__mmask32)mask, _mm512_castsi512_si256(bytes));
  if (lines > 1) {
    _mm256_mask_storeu_epi8(to + s->line_step, (__mmask32)mask,
                            _mm512_extracti64x4_epi64(bytes, 1));
  }
}

/* The stripe, whose vectors the compiler knows. */
TAREI_INLINE dw_stripe slide_stripe(const slide *s, const size_t vectors) {
  dw_stripe stripe = *s->stripe;
  stripe.vectors = vectors;
  return stripe;
}

/* The column that completes output `o`, of which `turn` is the rest by three: the sums of three
 * outputs take turns. */
TAREI_INLINE void slide_meet(const slide *s, const dw_stripe *stripe, slide_sums *sums, int64_t o,
                             const size_t turn, const size_t lines, const size_t vectors) {
  __m512i x[DW_VECTORS];
  slide_column(s, stripe, o + 2 - s->planes->pad[1], x);
  slide_add(s, &sums[turn], x, 2, lines, vectors);
  slide_add(s, &sums[(turn + 1) % SLIDE_WIDTH], x, 1, lines, vectors);
  slide_add(s, &sums[(turn + 2) % SLIDE_WIDTH], x, 0, lines, vectors);
}

/* The output before leaves while the next column comes: each hides the latencies of the other. */
TAREI_INLINE void slide_turn(const slide *s, const dw_stripe *stripe, const slide_bytes *bytes,
                             slide_sums *sums, int64_t o, const size_t turn, const size_t lines,
                             const size_t vectors) {
  slide_put(s, bytes, stripe->mask, &sums[(turn + 2) % SLIDE_WIDTH], o - 1, lines, vectors);
  slide_meet(s, stripe, sums, o, turn, lines, vectors);
}

TAREI_INLINE void slide_by_1(const slide *s, const size_t lines, const size_t vectors) {
  const slide here = *s; /* stores to the output do not change it */
  const dw_stripe stripe = slide_stripe(s, vectors);
  const slide_bytes bytes = slide_bytes_of(s->finisher);
  const int64_t n = here.planes->out[1], first = -here.planes->pad[1];
  slide_sums sums[SLIDE_WIDTH];
  __m512i x[DW_VECTORS];
  slide_column(&here, &stripe, first, x);
  slide_add(&here, &sums[0], x, 0, lines, vectors);
  slide_column(&here, &stripe, first + 1, x);
  slide_add(&here, &sums[0], x, 1, lines, vectors);
  slide_add(&here, &sums[1], x, 0, lines, vectors);
  slide_meet(&here, &stripe, sums, 0, 0, lines, vectors);
  int64_t o = 1;
  for (; o + SLIDE_WIDTH <= n; o += SLIDE_WIDTH) {
    slide_turn(&here, &stripe, &bytes, sums, o, 1, lines, vectors);
    slide_turn(&here, &stripe, &bytes, sums, o + 1, 2, lines, vectors);
    slide_turn(&here, &stripe, &bytes, sums, o + 2, 0, lines, vectors);
  }
  if (n - o == 2) {
    slide_turn(&here, &stripe, &bytes, sums, o, 1, lines, vectors);
    slide_turn(&here, &stripe, &bytes, sums, o + 1, 2, lines, vectors);
    slide_put(&here, &bytes, stripe.mask, &sums[2], n - 1, lines, vectors);
  } else if (n - o == 1) {
    slide_turn(&here, &stripe, &bytes, sums, o, 1, lines, vectors);
    slide_put(&here, &bytes, stripe.mask, &sums[1], n - 1, lines, vectors);
  } else {
    slide_put(&here, &bytes, stripe.mask, &sums[0], n - 1, lines, vectors);
  }
}

TAREI_INLINE void slide_by_2(const slide *s, const size_t lines, const size_t vectors) {
  const slide here = *s; /* stores to the output do not change it */
  const dw_stripe stripe = slide_stripe(s, vectors);
  const slide_bytes bytes = slide_bytes_of(s->finisher);
  const int64_t n = here.planes->out[1];
  int64_t at = -here.planes->pad[1];
  slide_sums sums, next;
  __m512i x[DW_VECTORS];
  slide_column(&here, &stripe, at++, x);
  slide_add(&here, &next, x, 0, lines, vectors);
  for (int64_t o = 0; o < n; o++) {
    sums = next;
    slide_column(&here, &stripe, at++, x);
    slide_add(&here, &sums, x, 1, lines, vectors);
    slide_column(&here, &stripe, at++, x);
    slide_add(&here, &sums, x, 2, lines, vectors);
    slide_add(&here, &next, x, 0, lines, vectors);
    slide_put(&here, &bytes, stripe.mask, &sums, o, lines, vectors);
  }
}

typedef void slide_fn(const slide *s);
#define DEFINE_SLIDE(stride, lines, vectors)                            \
  static void slide_by_##stride##_##lines##x##vectors(const slide *s) { \
    slide_by_##stride(s, lines, vectors);                               \
  }
DEFINE_SLIDE(1, 1, 2)
DEFINE_SLIDE(1, 1, 4)
DEFINE_SLIDE(1, 2, 2)
DEFINE_SLIDE(1, 2, 4)
DEFINE_SLIDE(2, 1, 2)
DEFINE_SLIDE(2, 1, 4)
DEFINE_SLIDE(2, 2, 2)
DEFINE_SLIDE(2, 2, 4)
#undef DEFINE_SLIDE

static slide_fn *const slides[SLIDE_STRIDE][SLIDE_LINES][2] = {
    {{slide_by_1_1x2, slide_by_1_1x4}, {slide_by_1_2x2, slide_by_1_2x4}},
    {{slide_by_2_1x2, slide_by_2_1x4}, {slide_by_2_2x2, slide_by_2_2x4}}};

static bool slide_fits(const tarei_dw_planes *p, const dw_finisher *f) {
  return p->kernel[1] == SLIDE_WIDTH && p->kernel[0] <= DW_TAPS && p->dilation[1] == 1 &&
         p->stride[1] <= SLIDE_STRIDE && f->quick && f->epilogue->inv_scale == 1.0f;
}

static void slide_run(const slide *s, size_t lines) {
  slides[s->planes->stride[1] - 1][lines - 1][!dw_is_narrow(s->stripe)](s);
}

#endif
