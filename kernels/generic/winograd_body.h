/* What goes into the products of a Winograd convolution, and what becomes of their sums.
 * Instantiated once per ISA. */
#include "kernels/generic/epilogue.h"
#include "kernels/generic/v16.h"

enum {
  WINOGRAD_SIDE = 4,
  WINOGRAD_LINE = TAREI_WINOGRAD_OUTPUTS * TAREI_WINOGRAD_TILES * TAREI_LANES, /* floats, at most */
};

/* --- inputs ----------------------------------------------------------------------------------- */

/* B'd of four values. */
TAREI_INLINE void winograd_spread(const v16 *d, v16 *out) {
  out[0] = v_sub(d[0], d[2]);
  out[1] = v_add(d[1], d[2]);
  out[2] = v_sub(d[2], d[1]);
  out[3] = v_sub(d[1], d[3]);
}

TAREI_INLINE void winograd_spread_square(const v16 *d, v16 *out) {
  v16 lines[TAREI_WINOGRAD_SQUARE];
#pragma GCC unroll 4
  for (size_t x = 0; x < WINOGRAD_SIDE; x++) {
    v16 column[WINOGRAD_SIDE], t[WINOGRAD_SIDE];
#pragma GCC unroll 4
    for (size_t y = 0; y < WINOGRAD_SIDE; y++) {
      column[y] = d[y * WINOGRAD_SIDE + x];
    }
    winograd_spread(column, t);
#pragma GCC unroll 4
    for (size_t y = 0; y < WINOGRAD_SIDE; y++) {
      lines[y * WINOGRAD_SIDE + x] = t[y];
    }
  }
#pragma GCC unroll 4
  for (size_t y = 0; y < WINOGRAD_SIDE; y++) {
    winograd_spread(lines + y * WINOGRAD_SIDE, out + y * WINOGRAD_SIDE);
  }
}

/* Sixteen channels or fewer of a tile. */
TAREI_INLINE void winograd_spread_tile(const float *const *inputs, size_t channel, const size_t n,
                                       const size_t elements, float *out, size_t step) {
  v16 d[TAREI_WINOGRAD_SQUARE] = {0}, all[TAREI_WINOGRAD_SQUARE] = {0};
#pragma GCC unroll 16
  for (size_t e = 0; e < elements; e++) {
    d[e] = v_load_n(inputs[e] + channel, n);
  }
  if (elements == TAREI_WINOGRAD_SQUARE) {
    winograd_spread_square(d, all);
  } else {
    winograd_spread(d, all);
  }
#pragma GCC unroll 16
  for (size_t e = 0; e < elements; e++) {
    v_store_n(out + e * step + channel, all[e], n);
  }
}

TAREI_INLINE void winograd_spread_all(const tarei_winograd_in *w, const size_t elements) {
  const size_t channels = w->channels, whole = channels / TAREI_LANES * TAREI_LANES;
  for (size_t i = 0; i < w->tiles; i++) {
    const float *const *const inputs = w->inputs + i * elements;
    float *const out = w->out + i * channels;
    for (size_t c = 0; c < whole; c += TAREI_LANES) {
      winograd_spread_tile(inputs, c, TAREI_LANES, elements, out, w->step);
    }
    if (whole < channels) {
      winograd_spread_tile(inputs, whole, channels - whole, elements, out, w->step);
    }
  }
}

void TAREI_K(tarei_k_winograd_in_f32_16)(const tarei_winograd_in *w) {
  if (w->elements == TAREI_WINOGRAD_SQUARE) {
    winograd_spread_all(w, TAREI_WINOGRAD_SQUARE);
  } else {
    winograd_spread_all(w, TAREI_WINOGRAD_AXIS);
  }
}

/* --- outputs ---------------------------------------------------------------------------------- */

/* A'm of four values. */
TAREI_INLINE void winograd_join(const v16 *m, v16 *first, v16 *second) {
  *first = v_add(v_add(m[0], m[1]), m[2]);
  *second = v_sub(v_sub(m[1], m[2]), m[3]);
}

TAREI_INLINE void winograd_join_square(const v16 *m, v16 *out) {
  v16 lines[2][WINOGRAD_SIDE];
#pragma GCC unroll 4
  for (size_t x = 0; x < WINOGRAD_SIDE; x++) {
    v16 column[WINOGRAD_SIDE];
#pragma GCC unroll 4
    for (size_t y = 0; y < WINOGRAD_SIDE; y++) {
      column[y] = m[y * WINOGRAD_SIDE + x];
    }
    winograd_join(column, &lines[0][x], &lines[1][x]);
  }
  winograd_join(lines[0], &out[0], &out[1]);
  winograd_join(lines[1], &out[2], &out[3]);
}

/* Sixteen outputs or fewer of a tile. `out`: its place in the first of the lines. */
TAREI_INLINE void winograd_join_tile(const float *sums, size_t step, const size_t n,
                                     const size_t elements, size_t columns, float *out) {
  v16 m[TAREI_WINOGRAD_SQUARE] = {0}, done[TAREI_WINOGRAD_OUTPUTS] = {0};
  const size_t outputs = elements == TAREI_WINOGRAD_SQUARE ? TAREI_WINOGRAD_OUTPUTS : 2;
#pragma GCC unroll 16
  for (size_t e = 0; e < elements; e++) {
    m[e] = v_load_n(sums + e * step, n);
  }
  if (elements == TAREI_WINOGRAD_SQUARE) {
    winograd_join_square(m, done);
  } else {
    winograd_join(m, &done[0], &done[1]);
  }
  const size_t line = TAREI_WINOGRAD_TILES * columns * TAREI_LANES;
#pragma GCC unroll 4
  for (size_t o = 0; o < outputs; o++) {
    v_store(out + o / columns * line + o % columns * TAREI_LANES, done[o]);
  }
}

TAREI_INLINE void winograd_join_all(const tarei_winograd_out *w, size_t n0, const size_t elements,
                                    float *values) {
  const size_t n = lanes_left(n0, w->n);
  for (size_t i = 0; i < w->tiles; i++) {
    const float *const sums = w->sums + i * w->n + n0;
    float *const to = values + i * w->columns * TAREI_LANES;
    if (n == TAREI_LANES) {
      winograd_join_tile(sums, w->step, TAREI_LANES, elements, w->columns, to);
    } else {
      winograd_join_tile(sums, w->step, n, elements, w->columns, to);
    }
  }
}

void TAREI_K(tarei_k_winograd_out_f32_16)(const tarei_winograd_out *w) {
  _Alignas(64) float values[WINOGRAD_LINE];
  for (size_t n0 = 0; n0 < w->n; n0 += TAREI_LANES) {
    if (w->elements == TAREI_WINOGRAD_SQUARE) {
      winograd_join_all(w, n0, TAREI_WINOGRAD_SQUARE, values);
    } else {
      winograd_join_all(w, n0, TAREI_WINOGRAD_AXIS, values);
    }
    for (size_t y = 0; y < w->lines; y++) {
      const tarei_tile done = {
          .values = values + y * TAREI_WINOGRAD_TILES * w->columns * TAREI_LANES,
          .ld = TAREI_LANES,
          .m0 = w->rows[y],
          .rows = w->width,
          .n0 = n0,
          .cols = lanes_left(n0, w->n)};
      TAREI_K(tarei_epilogue)(&w->epilogue, &done);
    }
  }
}
