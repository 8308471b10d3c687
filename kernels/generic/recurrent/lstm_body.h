/* Gates of an LSTM, instantiated once per ISA. */
#include "kernels/generic/math/math16.h"
#include "kernels/generic/recurrent/state_sink.h"

/* Rows at hand: sums of the gates i, o, f, c are `step` apart, peepholes of i, o, f too. */
typedef struct lstm_row {
  const float *x, *rec, *peephole;
  size_t step;
  v16 clip;
} lstm_row;

TAREI_INLINE v16 lstm_sum(const lstm_row *r, size_t gate, size_t i, size_t n) {
  return v_add(v_load_n(r->x + gate * r->step + i, n), v_load_n(r->rec + gate * r->step + i, n));
}

/* sigmoid of a gate that looks at the cell `c` */
TAREI_INLINE v16 lstm_gate(const lstm_row *r, size_t gate, size_t i, size_t n, v16 c) {
  v16 sum = lstm_sum(r, gate, i, n);
  if (r->peephole) {
    sum = v_fma(v_load_n(r->peephole + gate * r->step + i, n), c, sum);
  }
  return v_sigmoid(v_clip(sum, r->clip));
}

void TAREI_K(tarei_k_lstm_update_f32u8_16)(const tarei_lstm_gates *g) {
  enum { INPUT, OUTPUT, FORGET, CELL };
  for (size_t m = 0; m < g->m; m++) {
    const lstm_row row = {g->x + m * g->ldx, g->rec + m * g->ldrec, g->peephole, g->gate_step,
                          v_set1(g->clip)};
    const float *const c = g->c + m * g->ldc;
    float *const out_c = g->out_c + m * g->ld_out_c;
    const state_sink sink = state_sink_of(&g->out, m);
    for (size_t i = 0; i < g->n; i += TAREI_LANES) {
      const size_t left = lanes_left(i, g->n);
      const v16 before = v_load_n(c + i, left);
      const v16 in = lstm_gate(&row, INPUT, i, left, before);
      const v16 keep = g->input_forget ? v_sub(v_set1(1.0f), in)
                                       : lstm_gate(&row, FORGET, i, left, before);
      const v16 fresh = v_tanh(v_clip(lstm_sum(&row, CELL, i, left), row.clip));
      const v16 cell = v_fma(keep, before, v_mul(in, fresh));
      const v16 shown = lstm_gate(&row, OUTPUT, i, left, cell);
      v_store_n(out_c + i, cell, left);
      state_put(&sink, i, v_mul(shown, v_tanh(cell)), left);
    }
  }
}
