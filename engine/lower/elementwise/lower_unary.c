/* Elementwise operators of one operand. Floats are written as float, u8 or both. */
#include "engine/lower/elementwise/elementwise.h"
#include "engine/lower/fused.h"
#include "engine/lower/elementwise/pointwise.h"
#include "engine/lower/elementwise/typed_unary.h"

typedef struct unary_state {
  tarei_fused fused;
  tarei_pointwise function;
  tarei_typed_unary_fn *typed; /* NULL for float32 */
} unary_state;

typedef struct unary_job {
  const tarei_run *run;
  tarei_pointwise function;
  tarei_epilogue to;
} unary_job;

/* Parameters that are inputs have the type of the operand: inference saw to it. */
static tare_status prepare_typed(const tarei_step *const step, const tare_dtype dtype,
                                 unary_state *const s, tare_error *const err) {
  const char *const name = step->node->op->name;
  s->typed = tarei_typed_unary_of(name, dtype);
  if (!s->typed) {
    return tarei_refuse_dtype(dtype, err);
  }
  return tarei_pointwise_has(name) ? tarei_pointwise_read(step->node, name, &s->function, err)
                                   : TARE_OK;
}

static tare_status unary_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                 tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  unary_state *const s = step->state;
  if (dtype != TARE_F32) {
    return prepare_typed(step, dtype, s, err);
  }
  for (int i = 0; i < step->node->n_in; i++) {
    TAREI_TRY(tarei_want_float(step, i, err));
  }
  TAREI_TRY(tarei_fused_read(step, &s->fused, err));
  return tarei_pointwise_read(step->node, step->node->op->name, &s->function, err);
}

static void values(const void *const user, const size_t at, const size_t n, float *const out) {
  const unary_job *const j = user;
  const float *const x = j->run->in[0]->data;
  tarei_pointwise_run(&j->function, j->run->kernels, x + at, n, out);
}

static void unary_chunk(const void *const user, const size_t first, const size_t n) {
  const unary_job *const j = user;
  tarei_write_values(&j->to, j->run->kernels, first, n, values, j);
}

typedef struct typed_job {
  const tarei_run *run;
  tarei_typed_unary_fn *function;
  tarei_typed_parameters parameters;
  size_t size; /* of an element */
} typed_job;

static void typed_chunk(const void *const user, const size_t first, const size_t n) {
  const typed_job *const j = user;
  const size_t at = first * j->size;
  j->function(&j->parameters, (const char *)j->run->in[0]->data + at, n,
              (char *)j->run->out[0]->data + at);
}

/* Bound i of Clip: an input, or else what stands for its attribute. */
static const void *unary_bound(const tarei_step *const step, const tarei_run *const r, const int i,
                               const void *const fallback) {
  return i < step->node->n_in && r->in[i] ? r->in[i]->data : fallback;
}

static void run_typed(const tarei_step *const step, const tarei_run *const r, const size_t n) {
  const unary_state *const s = step->state;
  const double low = (double)s->function.a, high = (double)s->function.b;
  const bool attributes = step->node->op == &tarei_op_clip && r->in[0]->dtype == TARE_F64;
  const typed_job j = {.run = r,
                       .function = s->typed,
                       .parameters = {.f = s->function,
                                      .low = unary_bound(step, r, 1, attributes ? &low : NULL),
                                      .high = unary_bound(step, r, 2, attributes ? &high : NULL)},
                       .size = tare_dtype_size(r->in[0]->dtype)};
  tarei_chunks(r, n, typed_chunk, &j);
}

static tare_status unary_run(const tarei_step *const step, const tarei_run *const r,
                             tare_error *const err) {
  const unary_state *const s = step->state;
  const size_t n = (size_t)tare_tensor_count(r->in[0]);
  for (int i = 1; i < step->node->n_in; i++) {
    TAREI_TRY(tarei_want_count(step, r, i, 1, err));
  }
  if (s->typed) {
    run_typed(step, r, n);
    return TARE_OK;
  }
  unary_job j = {
      .run = r, .function = s->function, .to = tarei_fused_epilogue(&s->fused, step, r, NULL, 0)};
  j.function.a = *(const float *)unary_bound(step, r, 1, &s->function.a);
  j.function.b = *(const float *)unary_bound(step, r, 2, &s->function.b);
  tarei_chunks(r, n, unary_chunk, &j);
  return TARE_OK;
}

static const char *unary_kernel(const tarei_step *const step, const tarei_kernels *const k) {
  const unary_state *const s = step->state;
  return s->typed ? "" : tarei_pointwise_kernel(&s->function, k);
}

/* Parameters are read again and again. */
static bool unary_overwrites(const tarei_step *const step, const int input) {
  return input == 0 && tarei_overwrites_alike(step, input);
}

#define LOWERING(id)                        \
  const tarei_lowering tarei_lower_##id = { \
      .state_bytes = sizeof(unary_state),   \
      .prepare = unary_prepare,             \
      .run = unary_run,                     \
      .overwrites = unary_overwrites,       \
      .kernel = unary_kernel,               \
  };
LOWERING(bitwise_not)
#define TAREI_POINTWISE(id, ...) LOWERING(id)
#include "graph/pointwise.inc"
#undef TAREI_POINTWISE
