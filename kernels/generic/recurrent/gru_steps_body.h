/* Steps of a small GRU, instantiated once per ISA. Sequences go four at a time, so that they share
 * the loads of weights and hide each other's latencies. */
#include "kernels/generic/math16.h"
#include "kernels/generic/recurrent/state_sink.h"

#define GRU_ROWS 4
#define GRU_GATES 3

/* Sums of the gates of `rows` sequences from row `row` on, for units i to i + 15. */
TAREI_INLINE void gru_multiply(const tarei_gru_steps *g, size_t row, size_t rows, size_t i,
                               v16 (*sums)[GRU_GATES]) {
  const size_t gate = g->n * TAREI_F32_PANEL;
  const float *const h = g->h + row * g->n, *w = g->r + i;
#pragma GCC unroll 4
  for (size_t m = 0; m < rows; m++) {
    sums[m][0] = sums[m][1] = sums[m][2] = v_set1(0.0f);
  }
  for (size_t k = 0; k < g->n; k++, w += TAREI_F32_PANEL) {
    const v16 update = v_load(w), reset = v_load(w + gate), fresh = v_load(w + 2 * gate);
#pragma GCC unroll 4
    for (size_t m = 0; m < rows; m++) {
      const v16 state = v_set1(h[m * g->n + k]);
      sums[m][0] = v_fma(state, update, sums[m][0]);
      sums[m][1] = v_fma(state, reset, sums[m][1]);
      sums[m][2] = v_fma(state, fresh, sums[m][2]);
    }
  }
}

/* The new state of units i to i + 15, of which `left` are there. */
TAREI_INLINE v16 gru_next(const tarei_gru_steps *g, const float *x, const float *h, size_t i,
                          size_t left, const v16 *sums) {
  const v16 clip = v_set1(g->clip);
  const float *const at = x + i, *const bias = g->bias ? g->bias + i : NULL;
  v16 rec[GRU_GATES];
#pragma GCC unroll 3
  for (size_t gate = 0; gate < GRU_GATES; gate++) {
    rec[gate] = bias ? v_add(sums[gate], v_load(bias + gate * TAREI_F32_PANEL)) : sums[gate];
  }
  const v16 update = v_sigmoid(v_clip(v_add(v_load(at), rec[0]), clip));
  const v16 reset = v_sigmoid(v_clip(v_add(v_load(at + TAREI_F32_PANEL), rec[1]), clip));
  const v16 into = v_fma(reset, rec[2], v_load(at + 2 * (size_t)TAREI_F32_PANEL));
  const v16 fresh = v_tanh(v_clip(into, clip));
  const v16 kept = v_mul(update, v_load_n(h + i, left));
  return v_fma(v_sub(v_set1(1.0f), update), fresh, kept);
}

/* One step of `rows` sequences from row `row` on. All their units are made before one is stored:
 * each needs the whole state. */
TAREI_INLINE void gru_rows(const tarei_gru_steps *g, const float *x, float *y, size_t row,
                           size_t rows) {
  v16 next[TAREI_GRU_STEPS_UNITS / TAREI_LANES][GRU_ROWS];
  float *const h = g->h + row * g->n;
  for (size_t i = 0; i < g->n; i += TAREI_LANES) {
    v16 sums[GRU_ROWS][GRU_GATES];
    gru_multiply(g, row, rows, i, sums);
#pragma GCC unroll 4
    for (size_t m = 0; m < rows; m++) {
      next[i / TAREI_LANES][m] =
          gru_next(g, x + (row + m) * g->ldx, h + m * g->n, i, lanes_left(i, g->n), sums[m]);
    }
  }
  for (size_t i = 0; i < g->n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, g->n);
#pragma GCC unroll 4
    for (size_t m = 0; m < rows; m++) {
      v_store_n(h + m * g->n + i, next[i / TAREI_LANES][m], left);
      if (y) {
        v_store_n(y + (row + m) * g->ldy + i, next[i / TAREI_LANES][m], left);
      }
    }
  }
}

void TAREI_K(tarei_k_gru_steps_f32_4x16)(const tarei_gru_steps *g) {
  for (size_t t = 0; t < g->steps; t++) {
    const float *const x = g->x + (ptrdiff_t)t * g->x_step;
    float *const y = g->y ? g->y + (ptrdiff_t)t * g->y_step : NULL;
    size_t row = 0;
    for (; row + GRU_ROWS <= g->m; row += GRU_ROWS) {
      gru_rows(g, x, y, row, GRU_ROWS);
    }
    for (; row < g->m; row++) {
      gru_rows(g, x, y, row, 1);
    }
  }
}
