/* Steps of sixteen sequences of a GRU with at most eight units: a sequence is a lane, and a unit a
 * vector. No lane is idle, and the largest magnitudes and scales of states are found without a look
 * across lanes. */
#ifndef TAREI_KERNELS_GENERIC_RECURRENT_GRU_LANES16_H
#define TAREI_KERNELS_GENERIC_RECURRENT_GRU_LANES16_H

#include "kernels/generic/recurrent/gru_unit16.h"

enum {
  GRU_LANES_UNITS = TAREI_LANES / 2, /* with more units, a sequence fills most of a vector itself */
  GRU_LANES_FEWEST = 10              /* sequences that are worth as much as sixteen */
};

typedef struct gru_lanes {
  size_t rows; /* sequences */
  v16 x[GRU_GATES][GRU_LANES_UNITS];
  v16 h[GRU_LANES_UNITS], next[GRU_LANES_UNITS];
  v16i fours[GRU_LANES_UNITS / 4]; /* bytes of four units, around 128 */
  v16 scales;
} gru_lanes;

/* Of column `unit` of each gate. */
TAREI_INLINE void lanes_multiply(const tarei_gru_steps *g, const gru_lanes *s, size_t unit,
                                 v16 *sums) {
  const float *w = (const float *)g->r + unit;
  const size_t reset_at = gru_gate_at(g, 1, g->n, TAREI_F32_PANEL);
  const size_t fresh_at = gru_gate_at(g, 2, g->n, TAREI_F32_PANEL);
  sums[0] = sums[1] = sums[2] = v_set1(0.0f);
  for (size_t k = 0; k < g->n; k++, w += TAREI_F32_PANEL) {
    sums[0] = v_fma(s->h[k], v_set1(w[0]), sums[0]);
    sums[1] = v_fma(s->h[k], v_set1(w[reset_at]), sums[1]);
    sums[2] = v_fma(s->h[k], v_set1(w[fresh_at]), sums[2]);
  }
}

/* Largest finite magnitudes where not all are finite. */
TAREI_INLINE v16 lanes_finite_amax(const gru_lanes *s, size_t n) {
  const v16 beyond = v_set1(INFINITY);
  v16 best = v_set1(0.0f);
  for (size_t k = 0; k < n; k++) {
    const v16 size = v_abs(s->h[k]);
    best = v_select(v_less(size, beyond), v_max(size, best), best);
  }
  return best;
}

/* Makes the bytes of all states as quantize_rows does. */
TAREI_INLINE void lanes_quantize(const tarei_gru_steps *g, gru_lanes *s) {
  v16i largest = i_set1(0);
  for (size_t k = 0; k < g->n; k++) {
    largest = larger_magnitude(largest, s->h[k]);
  }
  const bool finite = m_count(v_less(i_as_float(largest), v_set1(INFINITY))) == TAREI_LANES;
  s->scales = row_scales_of(finite ? largest : v_bits(lanes_finite_amax(s, g->n)), 128);
  quantizer q = quantizer_for(1.0f, 128);
  q.inv_scale = v_div(v_set1(1.0f), s->scales);
  for (size_t k = 0; k < g->n; k += 4) {
    v16i four = i_set1(finite ? TAREI_AROUND_0 : 0);
    for (size_t i = 0; i < 4 && k + i < g->n; i++) {
      const v16 h = s->h[k + i];
      const v16i byte = finite ? v_nearest(v_mul(h, q.inv_scale)) : v_quantize(&q, h);
      four = i_add(four, i_shift_left(byte, 8 * (int)i));
    }
    s->fours[k / 4] = four;
  }
}

TAREI_INLINE void lanes_multiply_bytes(const tarei_gru_steps *g, const gru_lanes *s, size_t unit,
                                       v16 *sums) {
  const size_t step = 4 * (size_t)TAREI_I8_PANEL, groups = (g->n + 3) / 4;
#pragma GCC unroll 3
  for (size_t gate = 0; gate < GRU_GATES; gate++) {
    const size_t column = gate * g->gate + unit;
    const int8_t *w = (const int8_t *)g->r + gru_gate_at(g, gate, groups, step) + 4 * unit;
    v16i dots = dot_begin_lanes(g->add[column]);
    for (size_t k = 0; k < groups; k++, w += step) {
      int32_t four;
      memcpy(&four, w, sizeof four);
      dots = dot_lanes(dots, s->fours[k], four);
    }
    sums[gate] = v_mul(v_mul(i_to_float(dots), v_set1(g->mult[column])), s->scales);
  }
}

TAREI_INLINE void lanes_unit(const tarei_gru_steps *g, gru_lanes *s, size_t unit,
                             const bool bytes) {
  v16 x[GRU_GATES], rec[GRU_GATES];
  if (bytes) {
    lanes_multiply_bytes(g, s, unit, rec);
  } else {
    lanes_multiply(g, s, unit, rec);
  }
#pragma GCC unroll 3
  for (size_t gate = 0; gate < GRU_GATES; gate++) {
    x[gate] = s->x[gate][unit];
    if (g->bias) {
      rec[gate] = v_add(rec[gate], v_set1(g->bias[gate * g->gate + unit]));
    }
  }
  s->next[unit] = gru_unit(v_set1(g->clip), x, rec, s->h[unit]);
}

TAREI_INLINE void lanes_step(const tarei_gru_steps *g, gru_lanes *s, size_t t, size_t row,
                             const bool bytes) {
  const float *const x = g->x + (ptrdiff_t)t * g->x_step + row * g->ldx;
  for (size_t gate = 0; gate < GRU_GATES; gate++) {
    v_load_columns(x + gate * g->gate, g->ldx, s->rows, g->n, s->x[gate]);
  }
  if (bytes) {
    lanes_quantize(g, s);
  }
  for (size_t unit = 0; unit < g->n; unit++) {
    lanes_unit(g, s, unit, bytes);
  }
  for (size_t unit = 0; unit < g->n; unit++) {
    s->h[unit] = s->next[unit];
  }
  if (g->y) {
    v_store_columns(g->y + (ptrdiff_t)t * g->y_step + row * g->ldy, g->ldy, s->rows, g->n, s->h);
  }
}

/* All steps of `rows` sequences from row `row` on. */
TAREI_INLINE void lanes_all_steps(const tarei_gru_steps *g, size_t row, size_t rows,
                                  const bool bytes) {
  gru_lanes s;
  s.rows = rows;
  v_load_columns(g->h + row * g->n, g->n, rows, g->n, s.h);
  for (size_t t = 0; t < g->steps; t++) {
    lanes_step(g, &s, t, row, bytes);
  }
  v_store_columns(g->h + row * g->n, g->n, rows, g->n, s.h);
}

#endif
