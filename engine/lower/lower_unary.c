/* Elementwise operators of one float operand, written as float, u8 or both. */
#include "base/mem.h"
#include "engine/lower/elementwise.h"
#include "engine/lower/fused.h"
#include "engine/lower/pointwise.h"

typedef struct state {
  tarei_fused fused;
  tarei_pointwise function;
} state;

typedef struct job {
  const tarei_run *run;
  tarei_pointwise function;
  tarei_epilogue to;
} job;

static tare_status prepare(tarei_step *const step, tarei_blobs *const blobs,
                           tare_error *const err) {
  (void)blobs;
  state *const s = tarei_calloc(1, sizeof *s);
  step->state = s;
  if (!s) {
    return tarei_fail_memory(err, step->node->name, sizeof *s);
  }
  for (int i = 0; i < step->node->n_in; i++) {
    TARE_TRY(tarei_want_float(step, i, err));
  }
  TARE_TRY(tarei_fused_read(step, &s->fused, err));
  return tarei_pointwise_read(step->node, step->node->op->name, &s->function, err);
}

static void values(const void *const user, const size_t at, const size_t n, float *const out) {
  const job *const j = user;
  const float *const x = j->run->in[0]->data;
  tarei_pointwise_run(&j->function, j->run->kernels, x + at, n, out);
}

static void chunk(const void *const user, const size_t first, const size_t n) {
  const job *const j = user;
  tarei_write_values(&j->to, j->run->kernels, first, n, values, j);
}

/* Bounds of Clip are attributes before opset 11, then optional scalar inputs. */
static tare_status run(const tarei_step *const step, const tarei_run *const r,
                       tare_error *const err) {
  const state *const s = step->state;
  job j = {
      .run = r, .function = s->function, .to = tarei_fused_epilogue(&s->fused, step, r, NULL, 0)};
  for (int i = 1; i < step->node->n_in; i++) {
    TARE_TRY(tarei_want_count(step, r, i, 1, err));
    if (r->in[i]) {
      *(i == 1 ? &j.function.a : &j.function.b) = *(const float *)r->in[i]->data;
    }
  }
  tarei_chunks(r, (size_t)tare_tensor_count(r->in[0]), chunk, &j);
  return TARE_OK;
}

static const char *kernel(const tarei_step *const step, const tarei_kernels *const k) {
  return tarei_pointwise_kernel(&((const state *)step->state)->function, k);
}

#define UNARY(id) \
  const tarei_lowering tarei_lower_##id = {.prepare = prepare, .run = run, .kernel = kernel};

UNARY(ceil)
UNARY(clip)
UNARY(cos)
UNARY(elu)
UNARY(erf)
UNARY(exp)
UNARY(floor)
UNARY(gelu)
UNARY(hard_sigmoid)
UNARY(hard_swish)
UNARY(leaky_relu)
UNARY(log)
UNARY(reciprocal)
UNARY(relu)
UNARY(round)
UNARY(sigmoid)
UNARY(sin)
UNARY(softplus)
UNARY(sqrt)
UNARY(tanh)
