/*
 * Depthwise convolution of floats by windows of one, three or five columns: up to eight outputs of
 * a line by a vector of channels in registers. What is read of a line once serves all outputs that
 * meet it. Before inclusion:
 *   PF_LANES                  of a vector of floats
 *   PF_MASK, pf_mask(n)       its first n lanes, or all where there are more
 *   PF_PARTS                  may a mask leave lanes out? Else the last vector of channels begins
 *                             before their end by its lanes
 *   pf_known(mask, known)     the mask, or none of it
 *   pf_load(mask, p), pf_store(p, mask, v)
 *   PF_KEEP(v)                keeps a vector in a register
 *   pf_quantizer, pf_quantizer_of(epilogue), pf_store_bytes(p, mask, &quantizer, v)
 */
#include "kernels/x86/f32_acts.h"

enum { PF_MOST_OUTPUTS = 8, PF_MOST_STRIDE = 2, PF_MOST_HEIGHT = 7, PF_MOST_WIDTH = 5 };
enum { PF_MOST_INPUTS = (PF_MOST_OUTPUTS - 1) * PF_MOST_STRIDE + PF_MOST_WIDTH };
enum { PF_MOST_BLOCKS = 16 /* side by side: longer lines go in strips */ };

/* Outputs [ox, ox + n) of a line, and what they read of each line of the input. Positions beyond
 * its ends are replaced by one that is there, and not known. */
typedef struct pf_columns {
  size_t ox, n;
  bool inside; /* all are known, side by side */
  uint32_t known;
  size_t at[PF_MOST_INPUTS]; /* elements from the beginning of the line */
} pf_columns;

/* Columns side by side. */
typedef struct pf_strip {
  pf_columns blocks[PF_MOST_BLOCKS];
  size_t n;
} pf_strip;

/* A block of outputs in one line. */
typedef struct pf_block {
  const tarei_dw_planes *planes;
  const float *lines[PF_MOST_HEIGHT]; /* that the rows of the window meet */
  const pf_columns *columns;
  size_t row; /* of the epilogue */
} pf_block;

typedef void pf_block_fn(const pf_block *b);

/* Input i of a line, of the channels from which `line` counts; `inside`, the first is `*next`. */
TAREI_INLINE F32_VECTOR pf_input(const pf_block *b, const float *line, const float **next, size_t i,
                                 PF_MASK lanes, const bool inside) {
  F32_VECTOR x;
  if (inside) {
    x = pf_load(lanes, *next);
    *next += b->planes->channels;
  } else {
    x = pf_load(pf_known(lanes, b->columns->known >> i & 1), line + b->columns->at[i]);
  }
  PF_KEEP(x);
  return x;
}

/* Adds a row of the window to the sums. An input meets later outputs with earlier taps, so that the
 * taps of each come in their order. */
TAREI_INLINE void pf_add_row(F32_VECTOR *sum, const pf_block *b, const float *line,
                             const F32_VECTOR *tap, PF_MASK lanes, const size_t n,
                             const size_t stride, const size_t width, const bool inside) {
  const float *next = line + b->columns->at[0];
#pragma GCC unroll 19
  for (size_t i = 0; i < (n - 1) * stride + width; i++) {
    if (width < stride && i % stride >= width) { /* which no output meets */
      next += b->planes->channels;
      continue;
    }
    const F32_VECTOR x = pf_input(b, line, &next, i, lanes, inside);
#pragma GCC unroll 5
    for (size_t k = 0; k < width; k++) {
      if (i >= k && (i - k) % stride == 0 && (i - k) / stride < n) {
        sum[(i - k) / stride] = f32_fmadd(x, tap[k], sum[(i - k) / stride]);
      }
    }
  }
}

TAREI_INLINE void pf_store_floats(const tarei_epilogue *e, const F32_VECTOR *f, size_t row,
                                  size_t channel, PF_MASK lanes, const size_t n) {
  float *const out = e->out_f32 + row * e->ld_f32 + channel;
#pragma GCC unroll 8
  for (size_t i = 0; i < n; i++) {
    pf_store(out + i * e->ld_f32, lanes, f[i]);
  }
}

TAREI_INLINE void pf_store_quantized(const tarei_epilogue *e, const F32_VECTOR *f, size_t row,
                                     size_t channel, PF_MASK lanes, const size_t n) {
  const pf_quantizer q = pf_quantizer_of(e);
  const size_t ld = e->ld_u8;
  uint8_t *const out = e->out_u8 + row * ld + channel;
#pragma GCC unroll 8
  for (size_t i = 0; i < n; i++) {
    pf_store_bytes(out + i * ld, lanes, &q, f[i]);
  }
}

TAREI_INLINE void pf_act(const tarei_epilogue *e, F32_VECTOR *sum, F32_VECTOR bias,
                         const size_t n) {
  const float_bounds bounds = float_bounds_of(e, true);
  if (is_short_act(e->act)) {
#pragma GCC unroll 8
    for (size_t i = 0; i < n; i++) {
      sum[i] = float_short_act(e, f32_add(sum[i], bias));
    }
    return;
  }
#pragma GCC unroll 8
  for (size_t i = 0; i < n; i++) {
    sum[i] = float_bounded(bounds, f32_add(sum[i], bias));
  }
}

TAREI_INLINE void pf_finish(const pf_block *b, F32_VECTOR *sum, size_t channel, PF_MASK lanes,
                            const size_t n) {
  const tarei_epilogue *const e = &b->planes->epilogue;
  pf_act(e, sum, e->bias ? pf_load(lanes, e->bias + channel) : f32_set1(-0.0f), n);
  if (e->out_u8) {
    pf_store_quantized(e, sum, b->row, channel, lanes, n);
  } else {
    pf_store_floats(e, sum, b->row, channel, lanes, n);
  }
}

TAREI_INLINE void pf_channels(const pf_block *b, size_t channel, const size_t n,
                              const size_t stride, const size_t width, const bool inside) {
  const tarei_dw_planes *const p = b->planes;
  const PF_MASK lanes = pf_mask(p->channels - channel);
  const size_t height = (size_t)p->kernel[0];
  const float *w = (const float *)p->w + channel;
  F32_VECTOR sum[PF_MOST_OUTPUTS];
#pragma GCC unroll 8
  for (size_t i = 0; i < n; i++) {
    sum[i] = f32_set1(0.0f);
  }
  for (size_t ky = 0; ky < height; ky++) {
    F32_VECTOR tap[PF_MOST_WIDTH];
#pragma GCC unroll 5
    for (size_t kx = 0; kx < width; kx++) {
      tap[kx] = pf_load(lanes, w + kx * height * p->channels);
    }
    w += p->channels;
    pf_add_row(sum, b, b->lines[ky] + channel, tap, lanes, n, stride, width, inside);
  }
  pf_finish(b, sum, channel, lanes, n);
}

#define PF_DEFINE(n, stride, width, inside)                                              \
  static void TAREI_K(pf_block_##n##_##stride##_##width##_##inside)(const pf_block *b) { \
    const size_t channels = b->planes->channels;                                         \
    for (size_t i = 0; i < channels; i += PF_LANES) {                                    \
      const size_t last = PF_PARTS ? i : channels - PF_LANES;                            \
      pf_channels(b, i < last ? i : last, n, stride, width, inside);                     \
    }                                                                                    \
  }
#define PF_EACH(X, stride, width, inside) \
  X(1, stride, width, inside)             \
  X(2, stride, width, inside)             \
  X(3, stride, width, inside)             \
  X(4, stride, width, inside)             \
  X(5, stride, width, inside)             \
  X(6, stride, width, inside) X(7, stride, width, inside) X(8, stride, width, inside)
#define PF_EACH_STRIDE(X, width) \
  PF_EACH(X, 1, width, 0) PF_EACH(X, 1, width, 1) PF_EACH(X, 2, width, 0) PF_EACH(X, 2, width, 1)
PF_EACH_STRIDE(PF_DEFINE, 1)
PF_EACH_STRIDE(PF_DEFINE, 3)
PF_EACH_STRIDE(PF_DEFINE, 5)

#define PF_OF(n, stride, width, inside) TAREI_K(pf_block_##n##_##stride##_##width##_##inside),
#define PF_OF_STRIDES(width)                                          \
  {                                                                   \
    {{PF_EACH(PF_OF, 1, width, 0)}, {PF_EACH(PF_OF, 1, width, 1)}}, { \
      {PF_EACH(PF_OF, 2, width, 0)}, {                                \
        PF_EACH(PF_OF, 2, width, 1)                                   \
      }                                                               \
    }                                                                 \
  }
/* By half of the width, stride, whether inside, and outputs. */
static pf_block_fn *const pf_blocks[][PF_MOST_STRIDE][2][PF_MOST_OUTPUTS] = {
    PF_OF_STRIDES(1), PF_OF_STRIDES(3), PF_OF_STRIDES(5)};

static void TAREI_K(pf_columns_set)(const tarei_dw_planes *p, size_t ox, size_t n, pf_columns *c) {
  const int64_t first = (int64_t)ox * p->stride[1] - p->pad[1];
  const size_t inputs = (n - 1) * (size_t)p->stride[1] + (size_t)p->kernel[1];
  *c = (pf_columns){.ox = ox, .n = n};
  for (size_t i = 0; i < inputs; i++) {
    const int64_t x = first + (int64_t)i;
    const bool known = x >= 0 && x < p->in[1];
    c->at[i] = known ? (size_t)x * p->channels : 0;
    c->known |= (uint32_t)known << i;
  }
  c->inside = c->known == (1u << inputs) - 1;
}

static void TAREI_K(pf_lines_set)(const tarei_dw_planes *p, int64_t line, pf_block *b) {
  const int64_t batch = line / p->out[0], y = line % p->out[0] * p->stride[0] - p->pad[0];
  for (int64_t ky = 0; ky < p->kernel[0]; ky++) {
    const int64_t at = batch * p->in[0] + y + ky;
    b->lines[ky] = y + ky < 0 || y + ky >= p->in[0]
                       ? p->padding
                       : (const float *)p->x + (size_t)(at * p->in[1]) * p->channels;
  }
}

/* The outputs of a strip, in all lines. */
static void TAREI_K(pf_strip_run)(const tarei_dw_planes *p, const pf_strip *s) {
  pf_block b = {.planes = p};
  for (int64_t line = p->line0; line < p->line1; line++) {
    const size_t row = (size_t)((line - p->line0) * p->out[1]);
    TAREI_K(pf_lines_set)(p, line, &b);
    for (size_t i = 0; i < s->n; i++) {
      b.columns = &s->blocks[i];
      b.row = row + b.columns->ox;
      pf_blocks[p->kernel[1] / 2][p->stride[1] - 1][b.columns->inside][b.columns->n - 1](&b);
    }
  }
}

static bool TAREI_K(pf_fits)(const tarei_dw_planes *p) {
  return p->kernel[0] <= PF_MOST_HEIGHT && p->kernel[1] <= PF_MOST_WIDTH && p->kernel[1] % 2 == 1 &&
         p->dilation[0] == 1 && p->dilation[1] == 1 && p->stride[1] <= PF_MOST_STRIDE &&
         (PF_PARTS || p->channels >= PF_LANES);
}

static bool TAREI_K(pf_finishes)(const tarei_epilogue *e) {
  return !e->out_f32 != !e->out_u8 && !e->table && !e->upper && !e->mult && !e->row_mult &&
         !e->residual && !e->residual_u8 && (only_bounds(e->act) || is_short_act(e->act));
}

/* False, and nothing done, where the form is another. */
static bool TAREI_K(pf_run)(const tarei_dw_planes *p) {
  if (!TAREI_K(pf_fits)(p) || !TAREI_K(pf_finishes)(&p->epilogue)) {
    return false;
  }
  const size_t width = (size_t)p->out[1];
  const size_t parts = (width + PF_MOST_OUTPUTS - 1) / PF_MOST_OUTPUTS;
  const size_t strips = (parts + PF_MOST_BLOCKS - 1) / PF_MOST_BLOCKS;
  for (size_t i = 0; i < strips; i++) {
    const size_t first = parts * i / strips, end = parts * (i + 1) / strips;
    pf_strip s = {.n = end - first};
    for (size_t k = first; k < end; k++) {
      const size_t ox = width * k / parts;
      TAREI_K(pf_columns_set)(p, ox, width * (k + 1) / parts - ox, &s.blocks[k - first]);
    }
    TAREI_K(pf_strip_run)(p, &s);
  }
  return true;
}
