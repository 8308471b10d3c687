/* Elementwise operators of two operands (Min and Max: of any number), with broadcasting. */
#include "engine/lower/elementwise/divisor.h"
#include "engine/lower/elementwise/elementwise.h"
#include "engine/lower/elementwise/repeated.h"
#include "engine/lower/fused.h"

typedef struct binary_job {
  tarei_binary op;
  const tarei_run *run;
  const void *a, *b;
  void *out;
  tarei_epilogue to;        /* of floats */
  tarei_pair_row_fn *typed; /* of other types */
  size_t size;              /* of an element */
  tarei_repeated repeated;
} binary_job;

/* One row of floats, or a part of it: element `at` of the output stands at the operands' begin. */
typedef struct float_part {
  const binary_job *job;
  const tarei_broadcast *b;
  const float *x, *y;
  size_t at;
} float_part;

static void float_values(const void *const user, const size_t at, const size_t n,
                         float *const out) {
  const float_part *const p = user;
  const size_t i = at - p->at;
  p->job->run->kernels->binary(p->job->op, p->x + i * p->b->step[0], p->b->step[0],
                               p->y + i * p->b->step[1], p->b->step[1], n, out);
}

static void float_row(const void *const user, const tarei_broadcast *const b, const size_t at,
                      const size_t *const offset) {
  const binary_job *const j = user;
  if (!j->to.out_u8) {
    j->run->kernels->binary(j->op, (const float *)j->a + offset[0], b->step[0],
                            (const float *)j->b + offset[1], b->step[1], b->n, j->to.out_f32 + at);
    return;
  }
  const float_part part = {.job = j,
                           .b = b,
                           .x = (const float *)j->a + offset[0],
                           .y = (const float *)j->b + offset[1],
                           .at = at};
  tarei_write_values(&j->to, j->run->kernels, at, b->n, float_values, &part);
}

/* The same where one operand is a short row again and again. */
typedef struct repeated_part {
  const binary_job *job;
  const float *whole; /* the other operand, where the part begins */
  const float *row;   /* as tarei_repeated_fill makes it */
  size_t at;
} repeated_part;

static void repeated_values(const void *const user, const size_t at, const size_t n,
                            float *const out) {
  const repeated_part *const p = user;
  const tarei_repeated *const r = &p->job->repeated;
  for (size_t i = 0; i < n; i += TAREI_REPEATED_BLOCK) {
    const size_t m = n - i < TAREI_REPEATED_BLOCK ? n - i : TAREI_REPEATED_BLOCK;
    const float *const whole = p->whole + (at - p->at) + i;
    const float *const row = p->row + (at + i) % r->period;
    const bool first = r->operand == 0;
    p->job->run->kernels->binary(p->job->op, first ? row : whole, 1, first ? whole : row, 1, m,
                                 out + i);
  }
}

static void repeated_float_row(const void *const user, const tarei_broadcast *const b,
                               const size_t at, const size_t *const offset) {
  const binary_job *const j = user;
  const float *const operands[] = {(const float *)j->a + offset[0],
                                   (const float *)j->b + offset[1]};
  float row[TAREI_REPEATED_FLOATS];
  tarei_repeated_fill(operands[j->repeated.operand], j->repeated.period, b->n, row);
  const repeated_part part = {
      .job = j, .whole = operands[1 - j->repeated.operand], .row = row, .at = at};
  tarei_write_values(&j->to, j->run->kernels, at, b->n, repeated_values, &part);
}

static void typed_row(const void *const user, const tarei_broadcast *const b, const size_t at,
                      const size_t *const offset) {
  const binary_job *const j = user;
  j->typed((const char *)j->a + offset[0] * j->size, b->step[0],
           (const char *)j->b + offset[1] * j->size, b->step[1], b->n,
           (char *)j->out + at * j->size);
}

/* The same functions of other types. */
static const tarei_pair pairs[TAREI_BINARY_COUNT] = {
    [TAREI_BINARY_ADD] = TAREI_PAIR_ADD,     [TAREI_BINARY_SUB] = TAREI_PAIR_SUB,
    [TAREI_BINARY_MUL] = TAREI_PAIR_MUL,     [TAREI_BINARY_DIV] = TAREI_PAIR_DIV,
    [TAREI_BINARY_MIN] = TAREI_PAIR_MIN,     [TAREI_BINARY_MAX] = TAREI_PAIR_MAX,
    [TAREI_BINARY_PRELU] = TAREI_PAIR_PRELU,
};

static tare_status binary_prepare(tarei_step *const step, const tarei_binary op,
                                  tare_error *const err) {
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  if (dtype != TARE_F32) {
    return step->kernels->pair(pairs[op], dtype) ? TARE_OK : tarei_refuse_dtype(dtype, err);
  }
  tarei_fused *const fused = step->state;
  TAREI_TRY(tarei_fused_read(step, fused, err));
  return step->node->n_in > 2 && fused->u8_output >= 0
             ? tarei_fail(err, TARE_E_UNSUPPORTED, "only two operands can be written as bytes")
             : TARE_OK;
}

static tare_status binary_combine(const tarei_step *const step, const tarei_binary op,
                                  const tarei_run *const r, const tare_tensor *const a,
                                  const tare_tensor *const b, tare_error *const err) {
  const tare_tensor *const operands[] = {a, b};
  tarei_broadcast layout;
  TAREI_TRY(tarei_broadcast_read(operands, 2, r->out[0], &layout, err));
  binary_job j = {.op = op,
                  .run = r,
                  .a = a->data,
                  .b = b->data,
                  .out = r->out[0]->data,
                  .typed = r->kernels->pair(pairs[op], a->dtype),
                  .size = tare_dtype_size(a->dtype)};
  tarei_broadcast_fn row = typed_row;
  if (a->dtype == TARE_F32) {
    j.to = tarei_fused_epilogue(step->state, step, r, NULL, 0);
    j.repeated = tarei_repeated_join(&layout);
    row = j.repeated.operand < 0 ? float_row : repeated_float_row;
  }
  tarei_broadcast_run(&layout, r, row, &j);
  return TARE_OK;
}

/* More than two operands fold into the output, which by then has the final shape. */
static tare_status run_binary(const tarei_step *const step, const tarei_run *const r,
                              const tarei_binary op, tare_error *const err) {
  const int n = step->node->n_in;
  if (op == TAREI_BINARY_DIV) {
    TAREI_TRY(tarei_want_divisor(step, r, 1, err));
  }
  TAREI_TRY(binary_combine(step, op, r, r->in[0], r->in[n > 1 ? 1 : 0], err));
  for (int i = 2; i < n; i++) {
    TAREI_TRY(binary_combine(step, op, r, r->out[0], r->in[i], err));
  }
  return TARE_OK;
}

static const char *binary_kernel(const tarei_step *const step, const tarei_kernels *const k) {
  return step->graph->values[step->node->in[0]].dtype == TARE_F32 ? k->binary_name : k->pair_name;
}

/* More than two operands: the output is written before the last one is read. */
static bool binary_overwrites(const tarei_step *const step, const int input) {
  return step->node->n_in == 2 && tarei_overwrites_alike(step, input);
}

#define BINARY(id, kind)                                                              \
  static tare_status prepare_##id(tarei_step *const step, tarei_blobs *const blobs,   \
                                  tare_error *const err) {                            \
    (void)blobs;                                                                      \
    return binary_prepare(step, TAREI_BINARY_##kind, err);                            \
  }                                                                                   \
  static tare_status run_##id(const tarei_step *const step, const tarei_run *const r, \
                              tare_error *const err) {                                \
    return run_binary(step, r, TAREI_BINARY_##kind, err);                             \
  }                                                                                   \
  const tarei_lowering tarei_lower_##id = {.state_bytes = sizeof(tarei_fused),        \
                                           .prepare = prepare_##id,                   \
                                           .run = run_##id,                           \
                                           .overwrites = binary_overwrites,           \
                                           .kernel = binary_kernel};

BINARY(add, ADD)
BINARY(sub, SUB)
BINARY(mul, MUL)
BINARY(div, DIV)
BINARY(min, MIN)
BINARY(max, MAX)
BINARY(prelu, PRELU)
