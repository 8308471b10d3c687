/* Recurrent layers of float64: products and gates by their definition, a sequence at a time. */
#include <string.h>

#include "base/mem.h"
#include "engine/lower/recurrent/recurrent.h"
#include "engine/threads.h"

typedef struct recurrent_f64_job {
  const tarei_step *step;
  const tarei_run *run;
  const tarei_recurrent *s;
  const tarei_recurrent_sizes *z;
  const int32_t *lengths;
} recurrent_f64_job;

/* One direction of one sequence. */
typedef struct sequence {
  const recurrent_f64_job *j;
  int dir;
  size_t b;
  double *x, *rec, *reset, *h, *c;
} sequence;

static const double *recurrent_f64_input(const recurrent_f64_job *const j, const int i) {
  const tare_tensor *const t = tarei_recurrent_in(j->step, j->run, i);
  return t ? t->data : NULL;
}

/* Rows [first, end) of the weights [n][k] of a direction times a vector, plus the bias of input or
 * state. */
static void recurrent_f64_multiply(const sequence *const q, const int weights, const size_t k,
                                   const double *v, const size_t first, const size_t end,
                                   double *const out) {
  const size_t n = (size_t)q->j->s->form.gates * q->j->z->hidden;
  const double *const w = recurrent_f64_input(q->j, weights) + (size_t)q->dir * n * k;
  const double *const biases = recurrent_f64_input(q->j, TAREI_RECURRENT_BIAS);
  const size_t bias = (2 * (size_t)q->dir + (weights == TAREI_RECURRENT_R)) * n;
  for (size_t i = first; i < end; i++) {
    out[i] = biases ? biases[bias + i] : 0;
    for (size_t l = 0; l < k; l++) {
      out[i] += v[l] * w[i * k + l];
    }
  }
}

static tarei_recurrent_unit recurrent_f64_unit_at(const sequence *const q, const size_t i) {
  const size_t n = q->j->z->hidden;
  const double *const p = recurrent_f64_input(q->j, TAREI_RECURRENT_PEEPHOLES);
  tarei_recurrent_unit u = {.h = q->h[i], .c = q->c[i]};
  for (size_t g = 0; g < (size_t)q->j->s->form.gates; g++) {
    u.x[g] = q->x[g * n + i];
    u.rec[g] = q->rec[g * n + i];
  }
  for (size_t g = 0; p && g < 3; g++) {
    u.peephole[g] = p[((size_t)q->dir * 3 + g) * n + i];
  }
  return u;
}

static void recurrent_f64_one_step(const sequence *const q, const double *const x) {
  const tarei_recurrent_form *const form = &q->j->s->form;
  const size_t n = q->j->z->hidden, all = (size_t)form->gates * n;
  const bool resets = form->gates == 3 && !form->linear_before_reset;
  recurrent_f64_multiply(q, TAREI_RECURRENT_W, q->j->z->input, x, 0, all, q->x);
  recurrent_f64_multiply(q, TAREI_RECURRENT_R, n, q->h, 0, resets ? 2 * n : all, q->rec);
  for (size_t i = 0; resets && i < n; i++) {
    const tarei_recurrent_unit u = recurrent_f64_unit_at(q, i);
    q->reset[i] = tarei_recurrent_reset(form, q->dir, &u);
  }
  if (resets) {
    recurrent_f64_multiply(q, TAREI_RECURRENT_R, n, q->reset, 2 * n, all, q->rec);
  }
  for (size_t i = 0; i < n; i++) {
    tarei_recurrent_unit u = recurrent_f64_unit_at(q, i);
    tarei_recurrent_update(form, q->dir, &u);
    q->h[i] = u.h;
    q->c[i] = u.c;
  }
}

static void recurrent_f64_begin(double *const to, const double *const from, const size_t row,
                                const size_t n) {
  if (from) {
    memcpy(to, from + row, n * sizeof *to);
  } else {
    memset(to, 0, n * sizeof *to);
  }
}

/* The last state. */
static void put_state(const sequence *const q, const int output, const double *const from) {
  const size_t n = q->j->z->hidden;
  const tare_tensor *const to = tarei_recurrent_out(q->j->step, q->j->run, output);
  if (!to) {
    return;
  }
  double *const row =
      (double *)to->data + tarei_recurrent_state_row(q->j->s, q->j->z, q->dir, q->b);
  recurrent_f64_begin(row, tarei_recurrent_ends_with_zeros(q->j->lengths, q->b) ? NULL : from, 0,
                      n);
}

static void run_sequence(const sequence *const q) {
  const tarei_recurrent_sizes *const z = q->j->z;
  const tarei_recurrent *const s = q->j->s;
  const size_t length = tarei_recurrent_length(q->j->lengths, z, q->b);
  const size_t first = tarei_recurrent_state_row(s, z, q->dir, q->b);
  const bool backwards = s->form.reverse || q->dir == 1;
  const tare_tensor *const y = tarei_recurrent_out(q->j->step, q->j->run, 0);
  recurrent_f64_begin(q->h, recurrent_f64_input(q->j, TAREI_RECURRENT_FIRST_H), first, z->hidden);
  recurrent_f64_begin(q->c, recurrent_f64_input(q->j, TAREI_RECURRENT_FIRST_C), first, z->hidden);
  for (size_t i = 0; i < z->steps; i++) {
    const size_t t = i >= length ? i : backwards ? length - 1 - i : i;
    const size_t row = s->form.batch_first ? q->b * z->steps + t : t * z->batch + q->b;
    double *const out = y ? (double *)y->data + tarei_recurrent_row(s, z, t, q->dir, q->b) : NULL;
    if (i < length) {
      recurrent_f64_one_step(q, recurrent_f64_input(q->j, TAREI_RECURRENT_X) + row * z->input);
    }
    if (out) {
      recurrent_f64_begin(out, i < length ? q->h : NULL, 0, z->hidden);
    }
  }
  put_state(q, 1, q->h);
  put_state(q, 2, q->c);
}

/* Sums of input and state, reset state, state, cell. */
static size_t recurrent_f64_thread_bytes(const tarei_recurrent *const s, const size_t hidden) {
  return tarei_round_up((2 * (size_t)s->form.gates + 3) * hidden * sizeof(double), TAREI_ALIGN);
}

static void one_sequence(const void *const user, const size_t item, const int thread) {
  const recurrent_f64_job *const j = user;
  const size_t n = j->z->hidden, all = (size_t)j->s->form.gates * n;
  double *const at = tarei_thread_scratch(j->run, thread, recurrent_f64_thread_bytes(j->s, n));
  const sequence q = {.j = j,
                      .dir = (int)(item / j->z->batch),
                      .b = item % j->z->batch,
                      .x = at,
                      .rec = at + all,
                      .reset = at + 2 * all,
                      .h = at + 2 * all + n,
                      .c = at + 2 * all + 2 * n};
  run_sequence(&q);
}

size_t tarei_recurrent_f64_scratch(const tarei_recurrent *const s,
                                   const tarei_recurrent_sizes *const z, const int threads) {
  return tarei_times(recurrent_f64_thread_bytes(s, z->hidden), (size_t)threads);
}

void tarei_recurrent_f64_run(const tarei_step *const step, const tarei_run *const run,
                             const tarei_recurrent_sizes *const z, const int32_t *const lengths) {
  const recurrent_f64_job j = {step, run, step->state, z, lengths};
  tarei_team_run(run->team, (size_t)j.s->form.dirs * z->batch, one_sequence, &j);
}
