/* Depthwise convolution of floats, instantiated once per ISA: one fused multiply-add chain per
 * output over ascending taps; taps outside x are left out. */
#include <string.h>

#include "kernels/generic/depthwise/dw_tile.h"
#include "kernels/generic/v16.h"

/* Rows in registers: what the ISA has room for, and enough to hide the latency. */
#if defined(__AVX512F__)
enum { DW_F32_ROWS = 8 };
#else
enum { DW_F32_ROWS = 4 };
#endif
enum { DW_F32_STEPS = 384, DW_F32_TAPS = 128, DW_F32_FEW_TAPS = 16 };

/* Where the channels of a tile are read. */
typedef struct dw_f32_source {
  const tarei_dw_conv *conv;
  const float *x, *w; /* time step `origin`, tap 0 */
  size_t ldx, ldw;
  int64_t origin;
} dw_f32_source;

/* Copies side by side: rows whose distance is a power of two would drive one another out of the
 * first cache. */
typedef struct dw_f32_copies {
  _Alignas(64) float x[DW_F32_STEPS * TAREI_LANES];
  _Alignas(64) float w[DW_F32_TAPS * TAREI_LANES];
} dw_f32_copies;

TAREI_INLINE void dw_f32_copy(const float *from, size_t ld, size_t rows, const size_t lanes,
                              float *to) {
  for (size_t i = 0; i < rows; i++) {
    v_store(to + i * TAREI_LANES, v_load_n(from + i * ld, lanes));
  }
}

TAREI_INLINE dw_f32_source dw_f32_source_of(const dw_tile *tile, const size_t lanes,
                                            dw_f32_copies *copies) {
  const tarei_dw_conv *const c = tile->conv;
  const int64_t begin = tile->t * c->stride - c->pad;
  const int64_t end =
      begin + ((int64_t)tile->rows - 1) * c->stride + (c->kernel - 1) * c->dilation + 1;
  const int64_t first = begin < 0 ? 0 : begin, last = end < c->in_length ? end : c->in_length;
  const float *const x = (const float *)c->x + tile->channel;
  const float *const w = (const float *)c->w + tile->channel;
  if (last - first > DW_F32_STEPS || c->kernel > DW_F32_TAPS || c->kernel <= DW_F32_FEW_TAPS) {
    return (dw_f32_source){c, x, w, c->ldx, c->channels, 0};
  }
  if (first < last) {
    dw_f32_copy(x + (size_t)first * c->ldx, c->ldx, (size_t)(last - first), lanes, copies->x);
  }
  dw_f32_copy(w, c->channels, (size_t)c->kernel, lanes, copies->w);
  return (dw_f32_source){c, copies->x, copies->w, TAREI_LANES, TAREI_LANES, first};
}

/* Taps [j, end) of outputs whose tap 0 lies at time step `first` and multiples of the stride
 * beyond, as far as they are inside. */
TAREI_INLINE void dw_f32_checked(const dw_f32_source *s, int64_t first, int64_t j, int64_t end,
                                 const size_t rows, const size_t lanes, v16 *sum) {
  const tarei_dw_conv *const c = s->conv;
  for (; j < end; j++) {
    const v16 tap = v_load_n(s->w + (size_t)j * s->ldw, lanes);
    const int64_t start = first + j * c->dilation;
#pragma GCC unroll 16
    for (size_t i = 0; i < rows; i++) {
      const int64_t at = start + (int64_t)i * c->stride;
      if (at >= 0 && at < c->in_length) {
        sum[i] = v_fma(v_load_n(s->x + (size_t)(at - s->origin) * s->ldx, lanes), tap, sum[i]);
      }
    }
  }
}

/* The same where all are inside, rows `apart` from one another. */
TAREI_INLINE void dw_f32_inside(const dw_f32_source *s, int64_t first, int64_t j, int64_t end,
                                const size_t rows, const size_t apart, const size_t lanes,
                                v16 *sum) {
  const size_t dilation = (size_t)s->conv->dilation;
  const float *x = s->x + (size_t)(first + j * s->conv->dilation - s->origin) * s->ldx;
  const float *w = s->w + (size_t)j * s->ldw;
  for (; j < end; j++) {
    const v16 tap = v_load_n(w, lanes);
#pragma GCC unroll 16
    for (size_t i = 0; i < rows; i++) {
      sum[i] = v_fma(v_load_n(x + i * apart, lanes), tap, sum[i]);
    }
    x += dilation * s->ldx;
    w += s->ldw;
  }
}

static int64_t dw_f32_clamp(int64_t value, int64_t least, int64_t most) {
  return value < least ? least : value > most ? most : value;
}

TAREI_INLINE void dw_f32_rows(const dw_f32_source *s, int64_t t, const size_t rows,
                              const size_t lanes, float (*acc)[DW_TILE_CHANNELS]) {
  const tarei_dw_conv *const c = s->conv;
  const int64_t first = t * c->stride - c->pad;
  const int64_t last = first + ((int64_t)rows - 1) * c->stride;
  /* taps that lie inside x for all rows */
  const int64_t begin = dw_f32_clamp((c->dilation - 1 - first) / c->dilation, 0, c->kernel);
  const int64_t beyond = c->in_length - last;
  const int64_t end =
      beyond <= 0 ? begin : dw_f32_clamp((beyond - 1) / c->dilation + 1, begin, c->kernel);
  v16 sum[DW_F32_ROWS];
#pragma GCC unroll 16
  for (size_t i = 0; i < rows; i++) {
    sum[i] = v_set1(0.0f);
  }
  dw_f32_checked(s, first, 0, begin, rows, lanes, sum);
  if (begin < end && s->ldx == TAREI_LANES && c->stride == 1) {
    dw_f32_inside(s, first, begin, end, rows, TAREI_LANES, lanes, sum);
  } else if (begin < end) {
    dw_f32_inside(s, first, begin, end, rows, (size_t)c->stride * s->ldx, lanes, sum);
  }
  dw_f32_checked(s, first, end, c->kernel, rows, lanes, sum);
#pragma GCC unroll 16
  for (size_t i = 0; i < rows; i++) {
    v_store(acc[i], sum[i]);
  }
}

TAREI_INLINE void dw_f32_lanes(const dw_tile *tile, const size_t lanes,
                               float (*acc)[DW_TILE_CHANNELS]) {
  dw_f32_copies copies;
  const dw_f32_source s = dw_f32_source_of(tile, lanes, &copies);
  size_t i = 0;
  for (; i + DW_F32_ROWS <= tile->rows; i += DW_F32_ROWS) {
    dw_f32_rows(&s, tile->t + (int64_t)i, DW_F32_ROWS, lanes, acc + i);
  }
  for (; i + 4 <= tile->rows; i += 4) {
    dw_f32_rows(&s, tile->t + (int64_t)i, 4, lanes, acc + i);
  }
  for (; i < tile->rows; i++) {
    dw_f32_rows(&s, tile->t + (int64_t)i, 1, lanes, acc + i);
  }
}

static void dw_f32_tile(const dw_tile *tile, float (*acc)[DW_TILE_CHANNELS]) {
  if (tile->lanes == TAREI_LANES) {
    dw_f32_lanes(tile, TAREI_LANES, acc);
  } else {
    dw_f32_lanes(tile, tile->lanes, acc);
  }
}

void TAREI_K(tarei_k_dw_conv_f32_f32_8x16)(const tarei_dw_conv *c) {
  dw_walk(c, dw_f32_tile, TAREI_K(tarei_epilogue));
}
