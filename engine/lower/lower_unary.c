/* Elementwise operators of one float operand, through the unary or the activation kernels. */
#include <math.h>
#include <string.h>

#include "engine/lower/elementwise.h"
#include "engine/lower/operands.h"

typedef struct params {
  float a, b;
} params;

typedef struct job {
  const tarei_run *run;
  int op;
  params p;
  const float *x;
  float *out;
} job;

static void unary_chunk(const void *const user, const size_t first, const size_t n) {
  const job *const j = user;
  j->run->kernels->unary((tarei_unary)j->op, j->p.a, j->p.b, j->x + first, n, j->out + first);
}

static void act_chunk(const void *const user, const size_t first, const size_t n) {
  const job *const j = user;
  j->run->kernels->act((tarei_act)j->op, j->p.a, j->p.b, j->x + first, n, j->out + first);
}

static tare_status run_chunks(const tarei_run *const r, const int op, const params p,
                              const tarei_chunk_fn chunk) {
  const job j = {.run = r, .op = op, .p = p, .x = r->in[0]->data, .out = r->out[0]->data};
  tarei_chunks(r, (size_t)tare_tensor_count(r->in[0]), chunk, &j);
  return TARE_OK;
}

static tare_status prepare_float(tarei_step *const step, tarei_blobs *const blobs,
                                 tare_error *const err) {
  (void)blobs;
  return tarei_want_float(step, 0, err);
}

static const char *unary_kernel(const tarei_step *const step, const tarei_kernels *const k) {
  (void)step;
  return k->unary_name;
}

static const char *act_kernel(const tarei_step *const step, const tarei_kernels *const k) {
  (void)step;
  return k->act_name;
}

static params two(const tarei_step *const step, const char *const a, const float a_default,
                  const char *const b, const float b_default) {
  return (params){a ? tarei_attr_float(step->node, a, a_default) : a_default,
                  b ? tarei_attr_float(step->node, b, b_default) : b_default};
}

#define UNARY(id, kind, attr_a, default_a, attr_b, default_b)                                 \
  static tare_status run_##id(const tarei_step *const step, const tarei_run *const r,         \
                              tare_error *const err) {                                        \
    (void)err;                                                                                \
    return run_chunks(r, TAREI_UNARY_##kind, two(step, attr_a, default_a, attr_b, default_b), \
                      unary_chunk);                                                           \
  }                                                                                           \
  const tarei_lowering tarei_lower_##id = {                                                   \
      .prepare = prepare_float, .run = run_##id, .kernel = unary_kernel};

UNARY(ceil, CEIL, NULL, 0, NULL, 0)
UNARY(cos, COS, NULL, 0, NULL, 0)
UNARY(elu, ELU, "alpha", 1, NULL, 0)
UNARY(erf, ERF, NULL, 0, NULL, 0)
UNARY(exp, EXP, NULL, 0, NULL, 0)
UNARY(floor, FLOOR, NULL, 0, NULL, 0)
UNARY(hard_sigmoid, HARD_SIGMOID, "alpha", 0.2f, "beta", 0.5f)
UNARY(hard_swish, HARD_SWISH, NULL, 0, NULL, 0)
UNARY(log, LOG, NULL, 0, NULL, 0)
UNARY(reciprocal, RECIPROCAL, NULL, 0, NULL, 0)
UNARY(round, ROUND, NULL, 0, NULL, 0)
UNARY(sin, SIN, NULL, 0, NULL, 0)
UNARY(softplus, SOFTPLUS, NULL, 0, NULL, 0)
UNARY(sqrt, SQRT, NULL, 0, NULL, 0)

#define ACT(id, kind, attr_a, default_a)                                                      \
  static tare_status run_##id(const tarei_step *const step, const tarei_run *const r,         \
                              tare_error *const err) {                                        \
    (void)err;                                                                                \
    return run_chunks(r, TAREI_ACT_##kind, two(step, attr_a, default_a, NULL, 0), act_chunk); \
  }                                                                                           \
  const tarei_lowering tarei_lower_##id = {                                                   \
      .prepare = prepare_float, .run = run_##id, .kernel = act_kernel};

ACT(leaky_relu, LEAKY_RELU, "alpha", 0.01f)
ACT(relu, RELU, NULL, 0)
ACT(sigmoid, SIGMOID, NULL, 0)
ACT(tanh, TANH, NULL, 0)

static tare_status run_gelu(const tarei_step *const step, const tarei_run *const r,
                            tare_error *const err) {
  (void)err;
  const bool by_tanh = strcmp(tarei_attr_string(step->node, "approximate", "none"), "tanh") == 0;
  return run_chunks(r, by_tanh ? TAREI_ACT_GELU_TANH : TAREI_ACT_GELU, (params){0}, act_chunk);
}
const tarei_lowering tarei_lower_gelu = {
    .prepare = prepare_float, .run = run_gelu, .kernel = act_kernel};

static tare_status prepare_clip(tarei_step *const step, tarei_blobs *const blobs,
                                tare_error *const err) {
  (void)blobs;
  for (int i = 0; i < 3; i++) {
    TARE_TRY(tarei_want_float(step, i, err));
  }
  return TARE_OK;
}

/* Bounds are attributes before opset 11, then optional scalar inputs. */
static tare_status run_clip(const tarei_step *const step, const tarei_run *const r,
                            tare_error *const err) {
  TARE_TRY(tarei_want_count(step, r, 1, 1, err));
  TARE_TRY(tarei_want_count(step, r, 2, 1, err));
  params p = two(step, "min", -INFINITY, "max", INFINITY);
  if (step->node->n_in > 1 && r->in[1]) {
    p.a = *(const float *)r->in[1]->data;
  }
  if (step->node->n_in > 2 && r->in[2]) {
    p.b = *(const float *)r->in[2]->data;
  }
  return run_chunks(r, TAREI_ACT_CLIP, p, act_chunk);
}
const tarei_lowering tarei_lower_clip = {
    .prepare = prepare_clip, .run = run_clip, .kernel = act_kernel};
