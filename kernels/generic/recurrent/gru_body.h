/* Gates of a GRU, instantiated once per ISA. */
#include "kernels/generic/math/math16.h"
#include "kernels/generic/recurrent/state_sink.h"

/* sigmoid of a gate, whose rows begin at x and r */
TAREI_INLINE v16 gate16(const float *x, const float *r, v16 clip, size_t n) {
  return v_sigmoid(v_clip(v_add(v_load_n(x, n), v_load_n(r, n)), clip));
}

void TAREI_K(tarei_k_gru_reset_f32u8_16)(const tarei_gru_gates *g) {
  const v16 clip = v_set1(g->clip);
  for (size_t m = 0; m < g->m; m++) {
    const float *const x = g->x + m * g->ldx + g->gate_step;
    const float *const r = g->rec + m * g->ldrec + g->gate_step;
    const float *const h = g->h + m * g->ldh;
    const state_sink sink = state_sink_of(&g->out, m);
    for (size_t i = 0; i < g->n; i += TAREI_LANES) {
      const size_t left = lanes_left(i, g->n);
      const v16 reset = gate16(x + i, r + i, clip, left);
      state_put(&sink, i, v_mul(reset, v_load_n(h + i, left)), left);
    }
  }
}

/* What goes into the tanh: the reset gate works on the product, or has worked on the state. */
TAREI_INLINE v16 candidate16(const tarei_gru_gates *g, const float *x, const float *r, v16 clip,
                             size_t n) {
  const v16 from_x = v_load_n(x + 2 * g->gate_step, n);
  const v16 from_h = v_load_n(r + 2 * g->gate_step, n);
  if (!g->linear_before_reset) {
    return v_add(from_x, from_h);
  }
  return v_fma(gate16(x + g->gate_step, r + g->gate_step, clip, n), from_h, from_x);
}

void TAREI_K(tarei_k_gru_update_f32u8_16)(const tarei_gru_gates *g) {
  const v16 clip = v_set1(g->clip);
  const v16 one = v_set1(1.0f);
  for (size_t m = 0; m < g->m; m++) {
    const float *const x = g->x + m * g->ldx;
    const float *const r = g->rec + m * g->ldrec;
    const float *const h = g->h + m * g->ldh;
    const state_sink sink = state_sink_of(&g->out, m);
    for (size_t i = 0; i < g->n; i += TAREI_LANES) {
      const size_t left = lanes_left(i, g->n);
      const v16 update = gate16(x + i, r + i, clip, left);
      const v16 fresh = v_tanh(v_clip(candidate16(g, x + i, r + i, clip, left), clip));
      const v16 kept = v_mul(update, v_load_n(h + i, left));
      state_put(&sink, i, v_fma(v_sub(one, update), fresh, kept), left);
    }
  }
}
