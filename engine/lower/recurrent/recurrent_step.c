/* One time step of a lane: the product of the state, and the gates. */
#include <string.h>

#include "engine/lower/recurrent/recurrent_lane.h"

/* Hidden units of a part; `first` is that of a panel. */
typedef struct units {
  size_t first, n;
} units;

/* Sequences side by side that have this step. */
typedef struct span {
  size_t first, m;
} span;

static units units_of(const tarei_recurrent_job *const j, const size_t part) {
  const size_t panels = tarei_round_up(j->z.gate, TAREI_F32_PANEL) / TAREI_F32_PANEL;
  const size_t first = panels * part / j->parts * TAREI_F32_PANEL;
  const size_t end = panels * (part + 1) / j->parts * TAREI_F32_PANEL;
  return (units){first, (end < j->z.hidden ? end : j->z.hidden) - first};
}

/* --- the state's product ---------------------------------------------------------------------- */

/* Sums of columns [column, column + n) of a direction. */
static void multiply_columns(const tarei_recurrent_lane *const l, const span s, const size_t column,
                             const size_t n) {
  const tarei_recurrent_job *const j = l->j;
  const size_t k = j->z.hidden, at = (size_t)l->dir * j->z.columns + column;
  const tarei_epilogue e = {.mult = j->s->bytes ? j->s->r.mult + at : NULL,
                            .row_mult = j->s->bytes ? l->scales + s.first : NULL,
                            .bias = j->state_bias ? j->state_bias + at : NULL,
                            .out_f32 = l->rec + s.first * j->z.columns + column,
                            .ld_f32 = j->z.columns};
  if (j->s->bytes) {
    const size_t lda = tarei_recurrent_ld(k);
    j->run->kernels->i8_gemm(
        &(tarei_i8_gemm){.a = (const uint8_t *)l->left + s.first * lda,
                         .lda = lda,
                         .m = s.m,
                         .k = k,
                         .n = n,
                         .b = (const int8_t *)j->r + tarei_i8_packed_size(k, at),
                         .add = j->s->r.add + at,
                         .epilogue = e});
  } else {
    j->run->kernels->f32_gemm(&(tarei_f32_gemm){.a = (const float *)l->left + s.first * k,
                                                .lda = k,
                                                .m = s.m,
                                                .k = k,
                                                .n = n,
                                                .b = (const float *)j->r + at * k,
                                                .epilogue = e});
  }
}

static void recurrent_step_multiply(const tarei_recurrent_lane *const l, const span s,
                                    const units u, const size_t first_gate, const size_t end_gate) {
  const size_t step = l->j->z.gate;
  if (l->j->parts == 1) {
    const size_t n = tarei_round_up((end_gate - first_gate) * step, TAREI_F32_PANEL);
    multiply_columns(l, s, first_gate * step, n);
    return;
  }
  for (size_t g = first_gate; g < end_gate; g++) {
    multiply_columns(l, s, g * step + u.first, tarei_round_up(u.n, TAREI_F32_PANEL));
  }
}

/* --- gates ------------------------------------------------------------------------------------ */

static const float *x_at(const tarei_recurrent_lane *const l, const size_t t, const span s) {
  return l->x + ((t - l->t0) * l->m + s.first) * l->ldx;
}

static tarei_state_out state_into(const tarei_recurrent_lane *const l, float *const to,
                                  const span s, const units u) {
  const size_t n = l->j->z.hidden;
  return (tarei_state_out){.f32 = to + s.first * n + u.first, .ld_f32 = n};
}

static tarei_gru_gates gru_of(const tarei_recurrent_lane *const l, const size_t t, const span s,
                              const units u, float *const to) {
  const tarei_recurrent_job *const j = l->j;
  return (tarei_gru_gates){.m = s.m,
                           .n = u.n,
                           .gate_step = j->z.gate,
                           .x = x_at(l, t, s) + u.first,
                           .ldx = l->ldx,
                           .rec = l->rec + s.first * j->z.columns + u.first,
                           .ldrec = j->z.columns,
                           .h = l->h + s.first * j->z.hidden + u.first,
                           .ldh = j->z.hidden,
                           .clip = j->s->form.clip,
                           .linear_before_reset = j->s->form.linear_before_reset,
                           .out = state_into(l, to, s, u)};
}

static void recurrent_step_update_lstm(const tarei_recurrent_lane *const l, const size_t t,
                                       const span s, const units u) {
  const tarei_recurrent_job *const j = l->j;
  const size_t n = j->z.hidden, peepholes = (size_t)l->dir * 3 * j->z.gate;
  float *const c = l->c + s.first * n + u.first;
  j->run->kernels->lstm_update(
      &(tarei_lstm_gates){.m = s.m,
                          .n = u.n,
                          .gate_step = j->z.gate,
                          .x = x_at(l, t, s) + u.first,
                          .ldx = l->ldx,
                          .rec = l->rec + s.first * j->z.columns + u.first,
                          .ldrec = j->z.columns,
                          .peephole = j->peepholes ? j->peepholes + peepholes + u.first : NULL,
                          .clip = j->s->form.clip,
                          .input_forget = j->s->form.input_forget,
                          .c = c,
                          .ldc = n,
                          .out_c = c,
                          .ld_out_c = n,
                          .out = state_into(l, l->h, s, u)});
}

static void update_rnn(const tarei_recurrent_lane *const l, const size_t t, const span s,
                       const units u) {
  const tarei_kernels *const k = l->j->run->kernels;
  for (size_t i = 0; i < s.m; i++) {
    const span one = {s.first + i, 1};
    float *const h = l->h + one.first * l->j->z.hidden + u.first;
    k->binary(TAREI_BINARY_ADD, x_at(l, t, one) + u.first, 1,
              l->rec + one.first * l->j->z.columns + u.first, 1, u.n, h);
    k->act(TAREI_ACT_tanh, 0, 0, h, u.n, h);
  }
}

static void update_by_kernels(const tarei_recurrent_lane *const l, const size_t t, const span s,
                              const units u) {
  if (l->j->s->form.gates == 4) {
    recurrent_step_update_lstm(l, t, s, u);
  } else if (l->j->s->form.gates == 3) {
    const tarei_gru_gates g = gru_of(l, t, s, u, l->h);
    l->j->run->kernels->gru_update(&g);
  } else {
    update_rnn(l, t, s, u);
  }
}

/* --- gates of other functions, one unit at a time --------------------------------------------- */

static tarei_recurrent_unit recurrent_step_unit_at(const tarei_recurrent_lane *const l,
                                                   const size_t t, const size_t row,
                                                   const size_t i) {
  const tarei_recurrent_job *const j = l->j;
  const float *const x = x_at(l, t, (span){row, 1}), *const rec = l->rec + row * j->z.columns;
  const size_t at = row * j->z.hidden + i;
  tarei_recurrent_unit u = {.h = (double)l->h[at], .c = (double)l->c[at]};
  for (size_t g = 0; g < (size_t)j->s->form.gates; g++) {
    u.x[g] = (double)x[g * j->z.gate + i];
    u.rec[g] = (double)rec[g * j->z.gate + i];
  }
  for (size_t g = 0; j->peepholes && g < 3; g++) {
    u.peephole[g] = (double)j->peepholes[((size_t)l->dir * 3 + g) * j->z.gate + i];
  }
  return u;
}

static void update_units(const tarei_recurrent_lane *const l, const size_t t, const span s,
                         const units u) {
  for (size_t row = s.first; row < s.first + s.m; row++) {
    for (size_t i = u.first; i < u.first + u.n; i++) {
      tarei_recurrent_unit unit = recurrent_step_unit_at(l, t, row, i);
      tarei_recurrent_update(&l->j->s->form, l->dir, &unit);
      l->h[row * l->j->z.hidden + i] = (float)unit.h;
      l->c[row * l->j->z.hidden + i] = (float)unit.c;
    }
  }
}

static void reset_units(const tarei_recurrent_lane *const l, const size_t t, const span s,
                        const units u) {
  for (size_t row = s.first; row < s.first + s.m; row++) {
    for (size_t i = u.first; i < u.first + u.n; i++) {
      const tarei_recurrent_unit unit = recurrent_step_unit_at(l, t, row, i);
      l->reset[row * l->j->z.hidden + i] =
          (float)tarei_recurrent_reset(&l->j->s->form, l->dir, &unit);
    }
  }
}

/* --- a step ----------------------------------------------------------------------------------- */

static void reset(const tarei_recurrent_lane *const l, const size_t t, const span s,
                  const units u) {
  if (l->j->s->plain[l->dir]) {
    const tarei_gru_gates g = gru_of(l, t, s, u, l->reset);
    l->j->run->kernels->gru_reset(&g);
  } else {
    reset_units(l, t, s, u);
  }
}

static void update(const tarei_recurrent_lane *const l, const size_t t, const span s,
                   const units u) {
  if (l->j->s->plain[l->dir]) {
    update_by_kernels(l, t, s, u);
  } else {
    update_units(l, t, s, u);
  }
}

static void work_on(const tarei_recurrent_lane *const l, const size_t t, const span s,
                    const units u, const int phase) {
  const bool two = tarei_recurrent_has_middle(l->j->s);
  const size_t gates = (size_t)l->j->s->form.gates;
  recurrent_step_multiply(l, s, u, phase ? 2 : 0, two && !phase ? 2 : gates);
  if (two && !phase) {
    reset(l, t, s, u);
  } else {
    update(l, t, s, u);
  }
}

static void recurrent_step_put(const tarei_recurrent_lane *const l, const size_t t, const size_t b,
                               const units u, const bool has_step) {
  const tarei_recurrent_job *const j = l->j;
  const tare_tensor *const y = tarei_recurrent_out(j->step, j->run, 0);
  if (!y) {
    return;
  }
  float *const to =
      (float *)y->data + tarei_recurrent_row(j->s, &j->z, t, l->dir, l->first + b) + u.first;
  if (has_step) {
    memcpy(to, l->h + b * j->z.hidden + u.first, u.n * sizeof *to);
  } else {
    memset(to, 0, u.n * sizeof *to);
  }
}

void tarei_recurrent_part(const tarei_recurrent_lane *const l, const size_t t, const size_t part,
                          const int phase) {
  const tarei_recurrent_job *const j = l->j;
  const units u = units_of(j, part);
  const bool last = phase || !tarei_recurrent_has_middle(j->s);
  size_t b = 0;
  while (b < l->m) {
    span s = {b, 0};
    while (b < l->m && t < tarei_recurrent_length(j->lengths, &j->z, l->first + b)) {
      b++;
      s.m++;
    }
    if (s.m) {
      work_on(l, t, s, u, phase);
    }
    for (size_t i = 0; last && i < s.m; i++) {
      recurrent_step_put(l, t, s.first + i, u, true);
    }
    while (b < l->m && t >= tarei_recurrent_length(j->lengths, &j->z, l->first + b)) {
      if (last) {
        recurrent_step_put(l, t, b, u, false);
      }
      b++;
    }
  }
}

/* The left factor of the next product. Where parts write the state side by side, all read a copy of
 * what it was. */
static void take_left(tarei_recurrent_lane *const l, const float *const state) {
  const tarei_recurrent_job *const j = l->j;
  const size_t n = j->z.hidden;
  if (j->s->bytes) {
    j->run->kernels->quantize_rows(state, n, l->m, n, l->bytes, tarei_recurrent_ld(n), l->scales,
                                   TAREI_SYMMETRIC);
    l->left = l->bytes;
  } else if (j->parts > 1) {
    memcpy(l->copy, state, l->m * n * sizeof *state);
    l->left = l->copy;
  } else {
    l->left = state;
  }
}

void tarei_recurrent_begin_step(tarei_recurrent_lane *const lane) {
  take_left(lane, lane->h);
}

void tarei_recurrent_middle(tarei_recurrent_lane *const lane) {
  take_left(lane, lane->reset);
}
