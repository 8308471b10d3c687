/* Y = act(X . W + bias) + residual in float or, where the node says so, in bf16; X [..., K], W [K,
 * N] constant. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/lower/fused.h"
#include "engine/lower/products/bf16_products.h"
#include "engine/lower/products/float_weights.h"
#include "engine/lower/products/grid.h"

typedef struct linear_state {
  tarei_fused fused;
  tarei_float_weights weights;
  const float *bias; /* or NULL */
} linear_state;

typedef struct linear_job {
  const linear_state *s;
  const tarei_run *run;
  const float *x;
  const uint16_t *rounded; /* of the whole of x, for bf16 */
  tarei_epilogue epilogue;
} linear_job;

static tare_status linear_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                  tare_error *const err) {
  linear_state *const s = step->state;
  tarei_float_weights *const weights = &s->weights;
  TAREI_TRY(tarei_want_weights(step, err));
  TAREI_TRY(tarei_fused_read(step, &s->fused, err));
  TAREI_TRY(tarei_float_weights_read(step, weights, err));
  const tare_tensor w = tarei_value_tensor(step->graph, step->node->in[1]);
  weights->k = (size_t)w.dims[0];
  weights->n = (size_t)w.dims[1];
  weights->groups = 1;
  TAREI_TRY(tarei_want_float(step, 2, err));
  TAREI_TRY(tarei_want_residual(step, err));
  TAREI_TRY(tarei_want_bias(step, weights->n, &s->bias, err));
  return tarei_float_weights_take(weights, step, blobs, w.data, false, err);
}

static void linear_block(const void *const user, const tarei_block *const b, const int thread) {
  const linear_job *const j = user;
  const size_t k = j->s->weights.k;
  const tarei_f32_gemm gemm = {.a = j->x + b->row * k,
                               .lda = k,
                               .m = b->m,
                               .k = k,
                               .n = b->n,
                               .epilogue = tarei_epilogue_at(&j->epilogue, b->row, b->column)};
  tarei_float_weights_gemm(&j->s->weights, 0, b->column, &gemm, j->run->kernels, j->run->scratch,
                           thread);
}

static void linear_bf16_block(const void *const user, const tarei_block *const b,
                              const int thread) {
  (void)thread;
  const linear_job *const j = user;
  const size_t k = j->s->weights.k, lda = tarei_bf16_row(k);
  const tarei_bf16_gemm gemm = {.a = j->rounded + b->row * lda,
                                .lda = lda,
                                .m = b->m,
                                .k = k,
                                .n = b->n,
                                .b = tarei_float_weights_at(&j->s->weights, 0, b->column),
                                .epilogue = tarei_epilogue_at(&j->epilogue, b->row, b->column)};
  j->run->kernels->bf16_gemm(&gemm);
}

static size_t linear_rows_of(const linear_state *const s, const tare_tensor *const x) {
  return (size_t)tare_tensor_count(x) / s->weights.k;
}

static size_t linear_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                             const tare_tensor *const *const out, const int threads) {
  (void)out;
  const linear_state *const s = step->state;
  const size_t elements = tarei_times(linear_rows_of(s, in[0]), tarei_bf16_row(s->weights.k));
  return s->weights.bf16 ? tarei_times(elements, sizeof(uint16_t))
                         : tarei_float_weights_scratch(&s->weights, threads);
}

static tare_status linear_run(const tarei_step *const step, const tarei_run *const r,
                              tare_error *const err) {
  const linear_state *const s = step->state;
  const size_t k = s->weights.k, n = s->weights.n;
  const tare_tensor *residual;
  TAREI_TRY(tarei_fused_residual(step, r, &residual, err));
  TAREI_TRY(tarei_want_dim(step, r, 0, r->in[0]->rank - 1, (int64_t)k, err));
  linear_job j = {.s = s, .run = r, .x = r->in[0]->data, .rounded = r->scratch};
  j.epilogue = tarei_fused_epilogue(&s->fused, step, r, residual, n);
  j.epilogue.bias = s->bias;
  const size_t m = linear_rows_of(s, r->in[0]);
  if (s->weights.bf16) {
    tarei_bf16_rows(r, j.x, m, k, r->scratch);
  }
  const size_t row = k * (s->weights.bf16 ? sizeof(uint16_t) : sizeof(float));
  const tarei_grid grid = {m, n, row, k * tare_dtype_size(s->weights.type),
                           s->weights.bf16 ? r->kernels->bf16_gemm_isa : r->kernels->f32_gemm_isa};
  tarei_grid_run(&grid, r, s->weights.bf16 ? linear_bf16_block : linear_block, &j);
  return TARE_OK;
}

static void linear_row(const tarei_step *const step, const tarei_run *const r,
                       const size_t position, float *const out) {
  const size_t k = ((const linear_state *)step->state)->weights.k;
  memcpy(out, (const float *)r->in[0]->data + position * k, k * sizeof *out);
}

static size_t linear_weight_scales(const tarei_step *const step, const int input,
                                   float *const out) {
  return tarei_float_weights_scales(&((const linear_state *)step->state)->weights, input, out);
}

static const char *linear_kernel(const tarei_step *const step, const tarei_kernels *const k) {
  return tarei_float_weights_kernel(&((const linear_state *)step->state)->weights, k);
}

const tarei_lowering tarei_lower_linear = {.state_bytes = sizeof(linear_state),
                                           .prepare = linear_prepare,
                                           .scratch = linear_scratch,
                                           .run = linear_run,
                                           .operations = tarei_operations_by_row,
                                           .row = linear_row,
                                           .weight_scales = linear_weight_scales,
                                           .kernel = linear_kernel,
                                           .packs = 1u << 1 /* weights */};
