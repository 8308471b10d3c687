/* Steps of a small GRU in floats or bytes. Sequences go sixteen at a time where units are few
 * (gru_lanes16.h), else four, so that they share the loads of weights and hide each other's
 * latencies. A single one waits for its state at each step, which therefore is stored as whole
 * vectors of its own: what a part of one stores comes back late.
 */
#ifndef TAREI_KERNELS_GENERIC_RECURRENT_GRU_STEPS16_H
#define TAREI_KERNELS_GENERIC_RECURRENT_GRU_STEPS16_H

#include "kernels/generic/recurrent/gru_lanes16.h"

enum { GRU_ROWS = 4, GRU_BLOCKS = TAREI_GRU_STEPS_UNITS / TAREI_LANES };

/* Of some sequences. */
typedef struct gru_state {
  float *h; /* rows ldh apart; of a single one in `own`, with zeros behind the last unit */
  size_t ldh;
  float own[TAREI_GRU_STEPS_UNITS];
  uint8_t bytes[GRU_ROWS][TAREI_GRU_STEPS_UNITS]; /* h by its scale, around 128 */
  float scales[GRU_ROWS];
} gru_state;

TAREI_INLINE v16 gru_load(const tarei_gru_steps *g, const gru_state *s, size_t row, size_t i,
                          const size_t rows) {
  const float *const h = s->h + row * s->ldh + i;
  return rows == 1 ? v_load(h) : v_load_n(h, lanes_left(i, g->n));
}

/* --- the product of the state ----------------------------------------------------------------- */

/* Sums of the gates, for units i to i + 15. */
TAREI_INLINE void gru_multiply(const tarei_gru_steps *g, const gru_state *s, const size_t rows,
                               size_t i, v16 (*sums)[GRU_GATES]) {
  const float *w = (const float *)g->r + i;
  const size_t reset_at = gru_gate_at(g, 1, g->n, TAREI_F32_PANEL);
  const size_t fresh_at = gru_gate_at(g, 2, g->n, TAREI_F32_PANEL);
#pragma GCC unroll 4
  for (size_t m = 0; m < rows; m++) {
    sums[m][0] = sums[m][1] = sums[m][2] = v_set1(0.0f);
  }
  for (size_t k = 0; k < g->n; k++, w += TAREI_F32_PANEL) {
    const v16 update = v_load(w), reset = v_load(w + reset_at), fresh = v_load(w + fresh_at);
#pragma GCC unroll 4
    for (size_t m = 0; m < rows; m++) {
      const v16 state = v_set1(s->h[m * s->ldh + k]);
      sums[m][0] = v_fma(state, update, sums[m][0]);
      sums[m][1] = v_fma(state, reset, sums[m][1]);
      sums[m][2] = v_fma(state, fresh, sums[m][2]);
    }
  }
}

/* Makes the bytes of a row as quantize_rows does. */
TAREI_INLINE void gru_quantize(const tarei_gru_steps *g, gru_state *s, size_t row,
                               const size_t rows) {
  const float *const h = s->h + row * s->ldh;
  v16i largest = i_set1(0);
  for (size_t i = 0; i < g->n; i += TAREI_LANES) {
    largest = larger_magnitude(largest, gru_load(g, s, row, i, rows));
  }
  const v16 sizes = i_as_float(largest);
  if (m_count(v_less(sizes, v_set1(INFINITY))) < TAREI_LANES) {
    s->scales[row] = row_scale_of(finite_amax(h, g->n), 128);
    put_saturated(h, g->n, s->scales[row], s->bytes[row], 128);
    return;
  }
  s->scales[row] = row_scale_of(v_reduce_max_of(sizes, g->n), 128);
  const v16 inv_scale = v_set1(1.0f / s->scales[row]);
  for (size_t i = 0; i < g->n; i += TAREI_LANES) {
    const v16i steps = v_nearest(v_mul(gru_load(g, s, row, i, rows), inv_scale));
    i_store_u8(s->bytes[row] + i, i_add(steps, i_set1(128)));
  }
}

TAREI_INLINE void gru_multiply_bytes(const tarei_gru_steps *g, const gru_state *s,
                                     const size_t rows, size_t i, v16 (*sums)[GRU_GATES]) {
  const size_t step = 4 * (size_t)TAREI_I8_PANEL, groups = (g->n + 3) / 4;
  const size_t reset_at = gru_gate_at(g, 1, groups, step);
  const size_t fresh_at = gru_gate_at(g, 2, groups, step);
  const int8_t *w = (const int8_t *)g->r + 4 * i;
  v16i dots[GRU_ROWS][GRU_GATES];
#pragma GCC unroll 12
  for (size_t j = 0; j < rows * GRU_GATES; j++) {
    dots[j / GRU_GATES][j % GRU_GATES] = dot_begin(g->add + j % GRU_GATES * g->gate + i);
  }
  for (size_t k = 0; k < g->n; k += 4, w += step) {
#pragma GCC unroll 4
    for (size_t m = 0; m < rows; m++) {
      int32_t four;
      memcpy(&four, s->bytes[m] + k, sizeof four);
      dots[m][0] = dot_four(dots[m][0], four, w);
      dots[m][1] = dot_four(dots[m][1], four, w + reset_at);
      dots[m][2] = dot_four(dots[m][2], four, w + fresh_at);
    }
  }
#pragma GCC unroll 12
  for (size_t j = 0; j < rows * GRU_GATES; j++) {
    const size_t m = j / GRU_GATES, column = j % GRU_GATES;
    const v16 scaled = v_mul(i_to_float(dots[m][column]), v_load(g->mult + column * g->gate + i));
    sums[m][column] = v_mul(scaled, v_set1(s->scales[m]));
  }
}

/* --- a step ----------------------------------------------------------------------------------- */

/* The new state of units i to i + 15. */
TAREI_INLINE v16 gru_next(const tarei_gru_steps *g, const float *x, v16 h, size_t i,
                          const v16 *sums) {
  const float *const bias = g->bias ? g->bias + i : NULL;
  v16 from_x[GRU_GATES], rec[GRU_GATES];
#pragma GCC unroll 3
  for (size_t gate = 0; gate < GRU_GATES; gate++) {
    from_x[gate] = v_load(x + i + gate * g->gate);
    rec[gate] = bias ? v_add(sums[gate], v_load(bias + gate * g->gate)) : sums[gate];
  }
  return gru_unit(v_set1(g->clip), from_x, rec, h);
}

/* Step t of `rows` sequences from row `row` on. All their units are made before one is stored: each
 * needs the whole state. */
TAREI_INLINE void gru_step(const tarei_gru_steps *g, gru_state *s, size_t t, size_t row,
                           const size_t rows, const bool bytes) {
  v16 next[GRU_BLOCKS][GRU_ROWS];
  const float *const x = g->x + (ptrdiff_t)t * g->x_step;
  float *const y = g->y ? g->y + (ptrdiff_t)t * g->y_step : NULL;
#pragma GCC unroll 4
  for (size_t m = 0; bytes && m < rows; m++) {
    gru_quantize(g, s, m, rows);
  }
  for (size_t i = 0; i < g->n; i += TAREI_LANES) {
    v16 sums[GRU_ROWS][GRU_GATES];
    if (bytes) {
      gru_multiply_bytes(g, s, rows, i, sums);
    } else {
      gru_multiply(g, s, rows, i, sums);
    }
#pragma GCC unroll 4
    for (size_t m = 0; m < rows; m++) {
      next[i / TAREI_LANES][m] =
          gru_next(g, x + (row + m) * g->ldx, gru_load(g, s, m, i, rows), i, sums[m]);
    }
  }
  for (size_t i = 0; i < g->n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, g->n);
#pragma GCC unroll 4
    for (size_t m = 0; m < rows; m++) {
      const v16 h = next[i / TAREI_LANES][m];
      if (rows == 1) {
        v_store(s->own + i, v_select(m_first(left), h, v_set1(0.0f)));
      } else {
        v_store_n(s->h + m * s->ldh + i, h, left);
      }
      if (y) {
        v_store_n(y + (row + m) * g->ldy + i, h, left);
      }
    }
  }
}

/* --- all steps -------------------------------------------------------------------------------- */

TAREI_INLINE void gru_begin_one(const tarei_gru_steps *g, gru_state *s, size_t row) {
  s->h = s->own;
  s->ldh = TAREI_GRU_STEPS_UNITS;
  for (size_t i = 0; i < g->n; i += TAREI_LANES) {
    v_store(s->own + i, v_load_n(g->h + row * g->n + i, lanes_left(i, g->n)));
  }
}

TAREI_INLINE void gru_end_one(const tarei_gru_steps *g, const gru_state *s, size_t row) {
  for (size_t i = 0; i < g->n; i += TAREI_LANES) {
    v_store_n(g->h + row * g->n + i, v_load(s->own + i), lanes_left(i, g->n));
  }
}

TAREI_INLINE void gru_one(const tarei_gru_steps *g, size_t row, const bool bytes) {
  gru_state s;
  gru_begin_one(g, &s, row);
  for (size_t t = 0; t < g->steps; t++) {
    gru_step(g, &s, t, row, 1, bytes);
  }
  gru_end_one(g, &s, row);
}

/* One sequence in two directions: the steps of both hide each other's latencies. */
TAREI_INLINE void gru_pair(const tarei_gru_steps *g, const bool bytes) {
  gru_state first, second;
  gru_begin_one(&g[0], &first, 0);
  gru_begin_one(&g[1], &second, 0);
  for (size_t t = 0; t < g->steps; t++) {
    gru_step(&g[0], &first, t, 0, 1, bytes);
    gru_step(&g[1], &second, t, 0, 1, bytes);
  }
  gru_end_one(&g[0], &first, 0);
  gru_end_one(&g[1], &second, 0);
}

TAREI_INLINE void gru_four(const tarei_gru_steps *g, size_t row, const bool bytes) {
  gru_state s;
  s.h = g->h + row * g->n;
  s.ldh = g->n;
  for (size_t t = 0; t < g->steps; t++) {
    gru_step(g, &s, t, row, GRU_ROWS, bytes);
  }
}

/* How many sequences from row `row` on go sixteen at a time. */
TAREI_INLINE size_t gru_rows_for_lanes(const tarei_gru_steps *g, size_t row) {
  const size_t rows = lanes_left(row, g->m);
  return g->n <= GRU_LANES_UNITS && rows >= GRU_LANES_FEWEST ? rows : 0;
}

TAREI_INLINE void gru_all(const tarei_gru_steps *g, const size_t n, const bool bytes) {
  if (n == 2 && g->m == 1) {
    gru_pair(g, bytes);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    size_t row = 0;
    for (size_t rows; (rows = gru_rows_for_lanes(&g[i], row)) > 0; row += rows) {
      lanes_all_steps(&g[i], row, rows, bytes);
    }
    for (; row + GRU_ROWS <= g[i].m; row += GRU_ROWS) {
      gru_four(&g[i], row, bytes);
    }
    for (; row < g[i].m; row++) {
      gru_one(&g[i], row, bytes);
    }
  }
}

#endif
