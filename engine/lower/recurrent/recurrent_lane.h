/* What one lane of a recurrent layer works on (engine/lower/recurrent/recurrent.h). */
#ifndef TAREI_ENGINE_LOWER_RECURRENT_RECURRENT_LANE_H
#define TAREI_ENGINE_LOWER_RECURRENT_RECURRENT_LANE_H

#include "base/mem.h"
#include "engine/lower/recurrent/recurrent.h"

/* A run of the layer. Packed weights are those of the plan or made for this run. */
typedef struct tarei_recurrent_job {
  const tarei_step *step;
  const tarei_run *run;
  const tarei_recurrent *s;
  tarei_recurrent_sizes z;
  const int32_t *lengths;  /* of the sequences, or NULL */
  const void *w, *r;       /* packed */
  const float *bias;       /* [dirs][columns], added to the product of the input; or NULL */
  const float *state_bias; /* the same for the state; or NULL */
  const float *peepholes;  /* [dirs][3][gate], or NULL */
  size_t parts;            /* of the hidden units */
  size_t chunk;            /* steps whose product with the input is made at once */
  void *row_scratch;       /* of all threads, for rows with scales of their own; or NULL */
} tarei_recurrent_job;

typedef struct tarei_recurrent_lane {
  const tarei_recurrent_job *j;
  int dir;
  size_t first, m; /* sequences of the batch */
  size_t length;   /* of the longest of them */
  size_t t0;       /* first time step in x */
  float *x;        /* [chunk][m][columns], rows ldx apart */
  size_t ldx;
  float *rec;       /* [m][columns] */
  float *h, *c;     /* [m][hidden] */
  float *reset;     /* [m][hidden], r * h of a GRU */
  const void *left; /* left factor of the state's product: floats or bytes */
  float *copy;      /* [m][hidden], where it is copied */
  uint8_t *bytes;   /* [m][tarei_recurrent_ld(hidden)], where it is quantized */
  float *scales;    /* [m] of the bytes */
} tarei_recurrent_lane;

/* Bytes of a row of the quantized state, with what products may read behind it. */
static inline size_t tarei_recurrent_ld(const size_t hidden) {
  return tarei_round_up(hidden, TAREI_ALIGN);
}

/* Multiplies the input of time steps t0.. of the lane (`n` of them) with W of its direction, or of
 * `dirs` of them, whose sums then lie side by side in a row of x. With the team of the run where
 * the caller is its owner. */
void tarei_recurrent_input(tarei_recurrent_lane *lane, size_t dirs, size_t t0, size_t n, bool team,
                           int thread);

/* One step consists of: begin, part 0 for each part, and for a GRU that resets before its product
 * middle, part 1 for each part. begin and middle take the whole lane. */
void tarei_recurrent_begin_step(tarei_recurrent_lane *lane);
void tarei_recurrent_middle(tarei_recurrent_lane *lane);
void tarei_recurrent_part(const tarei_recurrent_lane *lane, size_t t, size_t part, int phase);

#define TAREI_RECURRENT_LANES 2 /* that go step by step together, at most: both directions */

/* Whether steps are made by one call of a kernel for many of them: those of a small GRU, whose
 * sequences have all steps (recurrent_small.c). */
bool tarei_recurrent_is_small(const tarei_recurrent_job *j);
/* `n` steps from the first that is made of those in x on, of each lane. */
void tarei_recurrent_small_steps(const tarei_recurrent_lane *lanes, size_t n_lanes, size_t n);

static inline bool tarei_recurrent_is_backwards(const tarei_recurrent_lane *const lane) {
  return lane->j->s->form.reverse || lane->dir == 1;
}

/* Whether a step has a second phase. */
static inline bool tarei_recurrent_has_middle(const tarei_recurrent *const s) {
  return s->form.gates == 3 && !s->form.linear_before_reset;
}

#endif
