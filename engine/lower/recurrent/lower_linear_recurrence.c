/* LinearRecurrence: each head of each sequence on its own, step after step, with its state in the
 * cache. */
#include <string.h>

#include "engine/lower/operands.h"
#include "engine/threads.h"

enum { Q, K, V, STATE, DECAY, BETA };

typedef struct linear_recurrence_state {
  size_t q_heads, heads;
  float scale;
  bool delta;
} linear_recurrence_state;

typedef struct linear_recurrence_job {
  const linear_recurrence_state *s;
  const tarei_run *run;
  size_t steps, depth, width, k_heads, decays, betas; /* decays, betas: of a step, 0: none */
  size_t group;                                       /* heads of queries that share a state */
  size_t scratch;
} linear_recurrence_job;

static const float *linear_recurrence_in(const linear_recurrence_job *const j, const int i) {
  return j->run->in[i] ? j->run->in[i]->data : NULL;
}

/* All steps of one head. */
static void linear_recurrence_head(const linear_recurrence_job *const j, const size_t item,
                                   float *const state) {
  const size_t heads = j->s->heads, q_heads = j->s->q_heads, batch = item / heads, h = item % heads;
  const size_t first_q = q_heads >= heads ? h * j->group : h / (heads / q_heads);
  const size_t k_head = h / (heads / j->k_heads), out_heads = q_heads > heads ? q_heads : heads;
  const size_t of_decay = j->decays / heads;
  tarei_linear_step t = {.depth = j->depth,
                         .width = j->width,
                         .queries = j->group,
                         .state = state,
                         .decay_stride = of_decay > 1,
                         .beta = 1,
                         .scale = j->s->scale,
                         .delta = j->s->delta};
  for (size_t i = 0; i < j->steps; i++) {
    const size_t at = batch * j->steps + i;
    t.q = linear_recurrence_in(j, Q) + (at * q_heads + first_q) * j->depth;
    t.k = linear_recurrence_in(j, K) + (at * j->k_heads + k_head) * j->depth;
    t.v = linear_recurrence_in(j, V) + (at * heads + h) * j->width;
    t.decay = j->decays ? linear_recurrence_in(j, DECAY) + at * j->decays + h * of_decay : NULL;
    t.beta = j->betas ? linear_recurrence_in(j, BETA)[at * j->betas + (j->betas > 1 ? h : 0)] : 1;
    t.out = (float *)j->run->out[0]->data + (at * out_heads + h * j->group) * j->width;
    j->run->kernels->linear_step(&t);
  }
}

static void linear_recurrence_range(const void *const user, const size_t first, const size_t end,
                                    const int thread) {
  const linear_recurrence_job *const j = user;
  const size_t size = j->depth * j->width;
  const float *const before = linear_recurrence_in(j, STATE);
  const tare_tensor *const after = j->run->out[1];
  for (size_t item = first; item < end; item++) {
    float *const state = after ? (float *)after->data + item * size
                               : tarei_thread_scratch(j->run, thread, j->scratch);
    if (before) {
      memcpy(state, before + item * size, size * sizeof *state);
    } else {
      memset(state, 0, size * sizeof *state);
    }
    linear_recurrence_head(j, item, state);
  }
}

static tare_status linear_recurrence_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                             tare_error *const err) {
  (void)blobs;
  linear_recurrence_state *const s = step->state;
  for (int i = 0; i < step->node->n_in; i++) {
    TAREI_TRY(tarei_want_float(step, i, err));
  }
  *s = (linear_recurrence_state){
      .q_heads = (size_t)tarei_attr_int(step->node, "q_num_heads", 1),
      .heads = (size_t)tarei_attr_int(step->node, "kv_num_heads", 1),
      .scale = tarei_attr_float(step->node, "scale", 1),
      .delta = tarei_attr_int(step->node, "delta", 0) != 0,
  };
  return TARE_OK;
}

static size_t linear_recurrence_floats(const tarei_step *const step, const tare_tensor *const v,
                                       const tare_tensor *const q) {
  const linear_recurrence_state *const s = step->state;
  const size_t width = (size_t)v->dims[2] / s->heads, depth = (size_t)q->dims[2] / s->q_heads;
  return (width * depth + 15) / 16 * 16; /* whole lines of the cache */
}

static size_t linear_recurrence_scratch(const tarei_step *const step, const tare_tensor *const *in,
                                        const tare_tensor *const *out, const int threads) {
  (void)out;
  return (size_t)threads * linear_recurrence_floats(step, in[V], in[Q]) * sizeof(float);
}

static tare_status linear_recurrence_check(const tarei_step *const step, const tarei_run *const r,
                                           tare_error *const err) {
  const int64_t batch = r->in[Q]->dims[0], steps = r->in[Q]->dims[1];
  for (int i = K; i < step->node->n_in; i++) {
    if (r->in[i]) {
      TAREI_TRY(tarei_want_dim(step, r, i, 0, batch, err));
      TAREI_TRY(i == STATE ? TARE_OK : tarei_want_dim(step, r, i, 1, steps, err));
    }
  }
  return TARE_OK;
}

static size_t linear_recurrence_columns(const tarei_step *const step, const tarei_run *const r,
                                        const int i) {
  return i < step->node->n_in && r->in[i] ? (size_t)r->in[i]->dims[2] : 0;
}

static tare_status linear_recurrence_run(const tarei_step *const step, const tarei_run *const r,
                                         tare_error *const err) {
  const linear_recurrence_state *const s = step->state;
  const tare_tensor *const q = r->in[Q];
  TAREI_TRY(linear_recurrence_check(step, r, err));
  const linear_recurrence_job j = {
      .s = s,
      .run = r,
      .steps = (size_t)q->dims[1],
      .depth = (size_t)q->dims[2] / s->q_heads,
      .width = (size_t)r->in[V]->dims[2] / s->heads,
      .k_heads = (size_t)r->in[K]->dims[2] / ((size_t)q->dims[2] / s->q_heads),
      .decays = linear_recurrence_columns(step, r, DECAY),
      .betas = linear_recurrence_columns(step, r, BETA),
      .group = s->q_heads >= s->heads ? s->q_heads / s->heads : 1,
      .scratch = linear_recurrence_floats(step, r->in[V], q) * sizeof(float),
  };
  tarei_row_ranges(r, (size_t)q->dims[0] * s->heads, (j.steps + 1) * j.depth * j.width, 1u << 14,
                   linear_recurrence_range, &j);
  return TARE_OK;
}

TAREI_KERNEL_OF(linear_recurrence_kernel, linear_step)

const tarei_lowering tarei_lower_linear_recurrence = {
    .state_bytes = sizeof(linear_recurrence_state),
    .prepare = linear_recurrence_prepare,
    .scratch = linear_recurrence_scratch,
    .run = linear_recurrence_run,
    .kernel = linear_recurrence_kernel,
};
