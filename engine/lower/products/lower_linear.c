/* Y = act(X . W + bias) + residual in float; X [..., K], W [K, N] constant. */
#include <stdlib.h>

#include "engine/lower/fused.h"
#include "engine/lower/products/grid.h"

typedef struct linear_state {
  tarei_fused fused;
  size_t k, n;
  const float *weights, *bias; /* packed; bias or NULL */
} linear_state;

typedef struct linear_job {
  const linear_state *s;
  const tarei_run *run;
  const float *x;
  tarei_epilogue epilogue;
} linear_job;

static tare_status linear_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                  tare_error *const err) {
  linear_state *const s = step->state;
  TAREI_TRY(tarei_want_weights(step, err));
  TAREI_TRY(tarei_fused_read(step, &s->fused, err));
  const tare_tensor w = tarei_value_tensor(step->graph, step->node->in[1]);
  s->k = (size_t)w.dims[0];
  s->n = (size_t)w.dims[1];
  TAREI_TRY(tarei_want_float(step, 2, err));
  TAREI_TRY(tarei_want_residual(step, err));
  TAREI_TRY(tarei_want_bias(step, s->n, &s->bias, err));
  void *data;
  bool fresh;
  TAREI_TRY(tarei_blobs_take(blobs, tarei_f32_packed_size(s->k, s->n), &data, &fresh, err));
  if (fresh) {
    step->kernels->f32_pack(w.data, s->n, false, s->k, s->n, data);
  }
  s->weights = data;
  return TARE_OK;
}

static void linear_block(const void *const user, const tarei_block *const b, const int thread) {
  (void)thread;
  const linear_job *const j = user;
  const tarei_f32_gemm gemm = {.a = j->x + b->row * j->s->k,
                               .lda = j->s->k,
                               .m = b->m,
                               .k = j->s->k,
                               .n = b->n,
                               .b = j->s->weights + b->column * j->s->k,
                               .epilogue = tarei_epilogue_at(&j->epilogue, b->row, b->column)};
  j->run->kernels->f32_gemm(&gemm);
}

static tare_status linear_run(const tarei_step *const step, const tarei_run *const r,
                              tare_error *const err) {
  const linear_state *const s = step->state;
  const tare_tensor *residual;
  TAREI_TRY(tarei_fused_residual(step, r, &residual, err));
  TAREI_TRY(tarei_want_dim(step, r, 0, r->in[0]->rank - 1, (int64_t)s->k, err));
  linear_job j = {.s = s, .run = r, .x = r->in[0]->data};
  j.epilogue = tarei_fused_epilogue(&s->fused, step, r, residual, s->n);
  j.epilogue.bias = s->bias;
  const size_t bytes = s->k * sizeof(float);
  const tarei_grid grid = {(size_t)tare_tensor_count(r->in[0]) / s->k, s->n, bytes, bytes};
  tarei_grid_run(&grid, r, linear_block, &j);
  return TARE_OK;
}

TAREI_KERNEL_OF(linear_kernel, f32_gemm)

const tarei_lowering tarei_lower_linear = {.state_bytes = sizeof(linear_state),
                                           .prepare = linear_prepare,
                                           .run = linear_run,
                                           .operations = tarei_operations_by_row,
                                           .kernel = linear_kernel,
                                           .packs = 1u << 1 /* weights */};
