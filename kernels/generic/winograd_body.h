/* What goes into the products of a Winograd convolution, and what becomes of their sums.
 * Instantiated once per ISA. */
#include "kernels/generic/epilogue.h"
#include "kernels/generic/v16.h"

enum { WINOGRAD_SIDE = 4 };

/* B'd of four values. */
TAREI_INLINE void winograd_spread(const v16 *d, v16 *out) {
  out[0] = v_sub(d[0], d[2]);
  out[1] = v_add(d[1], d[2]);
  out[2] = v_sub(d[2], d[1]);
  out[3] = v_sub(d[1], d[3]);
}

/* Sixteen channels or fewer of a tile. */
V16_FUNCTION void winograd_spread_tile(const float *const *inputs, size_t channel, const size_t n,
                                       float *out, size_t step) {
  v16 lines[TAREI_WINOGRAD_ELEMENTS], all[TAREI_WINOGRAD_ELEMENTS];
#pragma GCC unroll 4
  for (size_t x = 0; x < WINOGRAD_SIDE; x++) {
    v16 d[WINOGRAD_SIDE], t[WINOGRAD_SIDE];
#pragma GCC unroll 4
    for (size_t y = 0; y < WINOGRAD_SIDE; y++) {
      d[y] = v_load_n(inputs[y * WINOGRAD_SIDE + x] + channel, n);
    }
    winograd_spread(d, t);
#pragma GCC unroll 4
    for (size_t y = 0; y < WINOGRAD_SIDE; y++) {
      lines[y * WINOGRAD_SIDE + x] = t[y];
    }
  }
#pragma GCC unroll 4
  for (size_t y = 0; y < WINOGRAD_SIDE; y++) {
    winograd_spread(lines + y * WINOGRAD_SIDE, all + y * WINOGRAD_SIDE);
  }
#pragma GCC unroll 16
  for (size_t e = 0; e < TAREI_WINOGRAD_ELEMENTS; e++) {
    v_store_n(out + e * step + channel, all[e], n);
  }
}

static void winograd_inputs(const tarei_winograd_in *w, int64_t at, const float **out) {
  for (size_t y = 0; y < WINOGRAD_SIDE; y++) {
    for (size_t x = 0; x < WINOGRAD_SIDE; x++) {
      const int64_t position = at + (int64_t)x;
      const bool known = w->lines[y] && position >= 0 && position < w->width;
      *out++ = known ? w->lines[y] + (size_t)position * w->channels : w->zeros;
    }
  }
}

void TAREI_K(tarei_k_winograd_in_f32_16)(const tarei_winograd_in *w) {
  const size_t channels = w->channels, whole = channels / TAREI_LANES * TAREI_LANES;
  for (size_t i = 0; i < w->tiles; i++) {
    const float *inputs[TAREI_WINOGRAD_ELEMENTS];
    float *const out = w->out + i * channels;
    winograd_inputs(w, w->first + 2 * (int64_t)i, inputs);
    for (size_t c = 0; c < whole; c += TAREI_LANES) {
      winograd_spread_tile(inputs, c, TAREI_LANES, out, w->step);
    }
    if (whole < channels) {
      winograd_spread_tile(inputs, whole, channels - whole, out, w->step);
    }
  }
}

/* A'm of four values. */
TAREI_INLINE void winograd_join(const v16 *m, v16 *first, v16 *second) {
  *first = v_add(v_add(m[0], m[1]), m[2]);
  *second = v_sub(v_sub(m[1], m[2]), m[3]);
}

enum { WINOGRAD_LINE = 2 * TAREI_WINOGRAD_TILES * TAREI_LANES }; /* floats */

/* Sixteen outputs or fewer of a tile: two in each of two lines. */
V16_FUNCTION void winograd_join_tile(const float *sums, size_t step, const size_t n, float *out) {
  v16 lines[2][WINOGRAD_SIDE];
#pragma GCC unroll 4
  for (size_t x = 0; x < WINOGRAD_SIDE; x++) {
    v16 m[WINOGRAD_SIDE];
#pragma GCC unroll 4
    for (size_t y = 0; y < WINOGRAD_SIDE; y++) {
      m[y] = v_load_n(sums + (y * WINOGRAD_SIDE + x) * step, n);
    }
    winograd_join(m, &lines[0][x], &lines[1][x]);
  }
  for (size_t y = 0; y < 2; y++) {
    v16 first, second;
    winograd_join(lines[y], &first, &second);
    v_store(out + y * WINOGRAD_LINE, first);
    v_store(out + y * WINOGRAD_LINE + TAREI_LANES, second);
  }
}

void TAREI_K(tarei_k_winograd_out_f32_16)(const tarei_winograd_out *w) {
  _Alignas(64) float values[2 * WINOGRAD_LINE];
  for (size_t n0 = 0; n0 < w->n; n0 += TAREI_LANES) {
    const size_t n = lanes_left(n0, w->n);
    for (size_t i = 0; i < w->tiles; i++) {
      const float *const sums = w->sums + i * w->n + n0;
      float *const to = values + 2 * i * TAREI_LANES;
      if (n == TAREI_LANES) {
        winograd_join_tile(sums, w->step, TAREI_LANES, to);
      } else {
        winograd_join_tile(sums, w->step, n, to);
      }
    }
    for (size_t y = 0; y < w->lines; y++) {
      const tarei_tile done = {.values = values + y * WINOGRAD_LINE,
                               .ld = TAREI_LANES,
                               .m0 = w->rows[y],
                               .rows = w->width,
                               .n0 = n0,
                               .cols = n};
      TAREI_K(tarei_epilogue)(&w->epilogue, &done);
    }
  }
}
