/*
 * LSTM, GRU and RNN.
 *
 * A layer runs as lanes: one direction of a range of the sequences of a batch. Lanes need nothing
 * of one another, so that threads take whole lanes; where there are fewer lanes than threads and
 * much to multiply, a lane's hidden units are cut into parts, with a meeting at every step. The
 * input's share of some steps ahead is one product, in `x` of the lane; each step adds the product
 * of the state.
 *
 * Gates lie `gate` floats apart, in packed weights and in sums: by the number of units where there
 * are few, so that gates share panels, else by a multiple of a panel, so that a part begins at one.
 *
 * int8: the input is bytes with a static scale, or rows with scales of their own; the state is
 * quantized at each step, each sequence by its own largest magnitude. Gates and cells are float.
 */
#ifndef TAREI_ENGINE_LOWER_RECURRENT_RECURRENT_H
#define TAREI_ENGINE_LOWER_RECURRENT_RECURRENT_H

#include "engine/step.h"
#include "graph/ops/recurrent/recurrent.h"

enum { /* inputs of the node */
       TAREI_RECURRENT_X,
       TAREI_RECURRENT_W,
       TAREI_RECURRENT_R,
       TAREI_RECURRENT_BIAS,
       TAREI_RECURRENT_LENGTHS,
       TAREI_RECURRENT_FIRST_H,
       TAREI_RECURRENT_FIRST_C,
       TAREI_RECURRENT_PEEPHOLES,
};

/* Packed W or R, the directions one after the other. */
typedef struct tarei_recurrent_weights {
  const void *packed;  /* of floats or s8; NULL: the weights come when it runs */
  const int32_t *add;  /* int8: [dirs][columns], -zero point * column sums */
  const float *mult;   /* int8: [dirs][columns] scale of the weights times that of X where static, W
                          has that for each profile */
  const float *scales; /* int8: [dirs][gates][hidden], of the weights */
  size_t n_scales;
} tarei_recurrent_weights;

/* State of a step. */
typedef struct tarei_recurrent {
  tarei_recurrent_form form;
  bool f64;
  bool bytes, row_scales; /* int8; its input is float */
  int32_t x_zero_point;   /* int8: of the input or its rows */
  bool plain[2];          /* directions whose gates have kernels */
  tarei_recurrent_weights w, r;
} tarei_recurrent;

typedef struct tarei_recurrent_sizes {
  size_t steps, batch, input, hidden;
  size_t gate;    /* from a gate to the next */
  size_t columns; /* of all gates of a direction, rounded up to a panel */
} tarei_recurrent_sizes;

/* ---- weights (recurrent_weights.c) ---- */

/* Columns from a gate to the next. */
size_t tarei_recurrent_gate(const tarei_recurrent_form *form, size_t hidden);

/* Scales of int8 W and R, for tarei_lowering.weight_scales. */
size_t tarei_recurrent_weight_scales(const tarei_step *step, int input, float *out);

/* Packs what is constant. */
tare_status tarei_recurrent_pack(tarei_recurrent *s, const tarei_step *step, tarei_blobs *blobs,
                                 tare_error *err);
/* Bytes of a direction's packed weights of depth k. */
size_t tarei_recurrent_packed_bytes(const tarei_recurrent *s, size_t k, size_t columns);
/* Packs the floats of all directions, [dirs][gates * hidden][k]. */
void tarei_recurrent_pack_floats(const tarei_recurrent *s, const tarei_recurrent_sizes *z,
                                 const float *w, size_t k, const tarei_kernels *kernels,
                                 float *packed);

/* ---- gates by their definition, one unit at a time (recurrent_unit.c) ---- */

typedef struct tarei_recurrent_unit {
  double x[4], rec[4]; /* sums of the gates from the input and from the state, biases included */
  double h, c;         /* state and cell before */
  double peephole[3];  /* i, o, f */
} tarei_recurrent_unit;

/* The reset state r * h of a GRU. */
double tarei_recurrent_reset(const tarei_recurrent_form *form, int dir,
                             const tarei_recurrent_unit *unit);
/* The new state, and cell of an LSTM. */
void tarei_recurrent_update(const tarei_recurrent_form *form, int dir, tarei_recurrent_unit *unit);

/* ---- runs ---- */

/* Lengths of the sequences, checked; NULL where all have all steps. */
tare_status tarei_recurrent_lengths(const tarei_step *step, const tarei_run *run,
                                    const tarei_recurrent_sizes *z, const int32_t **out,
                                    tare_error *err);
static inline size_t tarei_recurrent_length(const int32_t *const lengths,
                                            const tarei_recurrent_sizes *const z, const size_t b) {
  return lengths ? (size_t)lengths[b] : z->steps;
}

/* Whether sequence b ends with zeros as its state: a length of 0 says that there is none. Where the
 * axis of time itself is empty, the state stays as it was. */
static inline bool tarei_recurrent_ends_with_zeros(const int32_t *const lengths, const size_t b) {
  return lengths && lengths[b] == 0;
}

/* Input or output i, or NULL where it is absent; an output that nobody reads has no memory. */
static inline const tare_tensor *tarei_recurrent_in(const tarei_step *const step,
                                                    const tarei_run *const run, const int i) {
  return i < step->node->n_in ? run->in[i] : NULL;
}
static inline const tare_tensor *tarei_recurrent_out(const tarei_step *const step,
                                                     const tarei_run *const run, const int i) {
  return i < step->node->n_out && run->out[i] && run->out[i]->data ? run->out[i] : NULL;
}

/* Where a tensor [T, D, B, H] or [B, T, D, H], or without T, has its row; in elements. */
size_t tarei_recurrent_row(const tarei_recurrent *s, const tarei_recurrent_sizes *z, size_t t,
                           int dir, size_t b);
size_t tarei_recurrent_state_row(const tarei_recurrent *s, const tarei_recurrent_sizes *z, int dir,
                                 size_t b);

size_t tarei_recurrent_scratch(const tarei_recurrent *s, const tarei_recurrent_sizes *z,
                               int threads);
void tarei_recurrent_run(const tarei_step *step, const tarei_run *run,
                         const tarei_recurrent_sizes *z, const int32_t *lengths);

/* Everything in double, one sequence at a time (recurrent_f64.c). */
size_t tarei_recurrent_f64_scratch(const tarei_recurrent *s, const tarei_recurrent_sizes *z,
                                   int threads);
void tarei_recurrent_f64_run(const tarei_step *step, const tarei_run *run,
                             const tarei_recurrent_sizes *z, const int32_t *lengths);

#endif
