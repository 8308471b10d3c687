/* What the forms of a small GRU's steps share. */
#ifndef TAREI_KERNELS_GENERIC_RECURRENT_GRU_UNIT16_H
#define TAREI_KERNELS_GENERIC_RECURRENT_GRU_UNIT16_H

#include "kernels/generic/math/math16.h"
#include "kernels/generic/recurrent/state_dot.h"
#include "kernels/generic/recurrent/state_sink.h"
#include "kernels/generic/row_bytes16.h"

enum { GRU_GATES = 3 };

/* Where a gate begins in packed weights with `step` elements of a panel for each group of k. */
TAREI_INLINE size_t gru_gate_at(const tarei_gru_steps *g, size_t gate, size_t groups, size_t step) {
  const size_t column = gate * g->gate, panel = TAREI_F32_PANEL;
  return column / panel * groups * step + column % panel * (step / panel);
}

/* The new state by the sums of the gates from the input and from the state. */
TAREI_INLINE v16 gru_unit(v16 clip, const v16 *x, const v16 *rec, v16 h) {
  const v16 update = v_sigmoid(v_clip(v_add(x[0], rec[0]), clip));
  const v16 reset = v_sigmoid(v_clip(v_add(x[1], rec[1]), clip));
  const v16 fresh = v_tanh(v_clip(v_fma(reset, rec[2], x[2]), clip));
  return v_fma(v_sub(v_set1(1.0f), update), fresh, v_mul(update, h));
}

#endif
