/* Steps of recurrent layers: gates of GRU and LSTM. */
#ifndef TAREI_KERNELS_FAMILIES_RECURRENT_H
#define TAREI_KERNELS_FAMILIES_RECURRENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/families/gemm.h"

/* One time step of one direction, for m sequences and n hidden units, after ONNX with sigmoid and
 * tanh. The input's share of all steps is one product made beforehand, x = X W' + Wb. A step is then
 *
 *   GRU, linear_before_reset:  rec = h R' + Rb, all three gates           by i8_gemm or f32_gemm
 *                              gru_update                                 makes the next h
 *   GRU, else:                 rec = h R' + Rb of z and r; gru_reset      makes r * h
 *                              rec = (r * h) R' + Rb of the third gate    columns from 2 n on
 *                              gru_update
 *   LSTM:                      rec = h R' + Rb, all four gates; lstm_update
 *
 * with R' packed once (for the second kind of GRU its last n columns apart). `out.u8` is the `a` of
 * the next step's i8_gemm: states that begin within -1..1 stay there, so that inv_scale 127 and zero
 * point 128 serve every layer. With T steps, `out` may be row t of the layer's output and `h` its row
 * t - 1; the state may also be updated in place. */
typedef struct tarei_state_out { /* one of the two at least */
  float *f32;                    /* [m][n] with stride ld_f32, or NULL */
  size_t ld_f32;
  uint8_t *u8;                   /* [m][n] with stride ld_u8, or NULL */
  size_t ld_u8;
  float inv_scale;
  int32_t zero_point;
} tarei_state_out;

typedef struct tarei_gru_gates {
  size_t m, n;
  size_t gate_step;         /* floats from a gate to the next in x and rec, n or more */
  const float *x;           /* [m][3][n]: z, r, h, rows ldx apart */
  size_t ldx;
  const float *rec;         /* the same of the recurrent product */
  size_t ldrec;
  const float *h;           /* [m][n], state before the step */
  size_t ldh;
  float clip;               /* bound of what goes into sigmoid and tanh; INFINITY without */
  bool linear_before_reset; /* the reset gate works on the product instead of the state */
  tarei_state_out out;      /* of gru_reset r * h, of gru_update the new state */
} tarei_gru_gates;
typedef void tarei_gru_gates_fn(const tarei_gru_gates *g);

/* Steps of a small GRU, linear_before_reset, product and gates of each: one call for a chunk of
 * steps. Gates are `gate` columns apart: n, if that is at most 8 or a multiple of 16, or a panel
 * (TAREI_F32_PANEL); x, bias, add and mult are padded to whole panels.
 * gru_steps_i8 multiplies as i8_gemm does what quantize_rows makes of the state of each sequence at
 * each step; its weights are within -127..127. */
#define TAREI_GRU_STEPS_UNITS TAREI_F32_PANEL
typedef struct tarei_gru_steps {
  size_t steps, m, n;     /* n <= TAREI_GRU_STEPS_UNITS hidden units */
  size_t gate;
  const float *x;         /* [m][3][gate] of the first step, rows ldx apart */
  size_t ldx;
  ptrdiff_t x_step;       /* floats from a step to the next; below zero backwards */
  const void *r;          /* packed by f32_pack, or by tarei_i8_pack */
  const int32_t *add;     /* of gru_steps_i8: [3][gate], -128 * column sum, */
  const float *mult;      /* and the scales of the weights */
  const float *bias;      /* [3][gate] of the recurrent product, or NULL */
  float *h;               /* [m][n], rows n apart: the state before, and after the last step */
  float clip;             /* as above */
  float *y;               /* [m][n] of the first step, rows ldy apart; or NULL */
  size_t ldy;
  ptrdiff_t y_step;
} tarei_gru_steps;
/* n: 1, or 2 directions of a layer, of as many steps, sequences and units. */
typedef void tarei_gru_steps_fn(const tarei_gru_steps *g, size_t n);

typedef struct tarei_lstm_gates {
  size_t m, n;
  size_t gate_step;         /* as above; for the peepholes too */
  const float *x;           /* [m][4][n]: i, o, f, c, rows ldx apart */
  size_t ldx;
  const float *rec;         /* the same of the recurrent product */
  size_t ldrec;
  const float *peephole;    /* [3][n]: i, o, f, or NULL */
  float clip;               /* as above */
  bool input_forget;        /* f = 1 - i */
  const float *c;           /* [m][n], cell before the step */
  size_t ldc;
  float *out_c;             /* [m][n]; may be c */
  size_t ld_out_c;
  tarei_state_out out;
} tarei_lstm_gates;
typedef void tarei_lstm_gates_fn(const tarei_lstm_gates *g);

/* One time step of linear attention, for one head of one sequence: the state [depth][width] times
 * `decay`, plus k . (beta * (v - state' k))', or k . (beta * v)' without `delta`; and
 * out[q] = scale * state' q for each query. */
typedef struct tarei_linear_step {
  size_t depth, width, queries; /* queries: 1 or more */
  float *state;
  const float *q;      /* [queries][depth] */
  const float *k, *v;  /* [depth], [width] */
  const float *decay;  /* of each row, or of all with a stride of 0; or NULL */
  size_t decay_stride; /* 0 or 1 */
  float beta, scale;
  bool delta;
  float *out; /* [queries][width] */
} tarei_linear_step;
typedef void tarei_linear_step_fn(const tarei_linear_step *s);

#endif
