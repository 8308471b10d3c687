/* int8 linear layer: X [..., K] u8, with a scale for all rows or for each, or float that is
 * quantized when it runs; W [K, N] quantized per column. */
#include <stdlib.h>

#include "base/mem.h"
#include "engine/lower/products/grid.h"
#include "engine/lower/products/int8_weights.h"
#include "engine/threads.h"

#define LEAST_ELEMENTS 16384 /* to be quantized: worth a thread's while */

typedef struct qlinear_state {
  tarei_int8_layer layer;
  size_t k;
  const int8_t *weights; /* packed */
} qlinear_state;

typedef struct qlinear_job {
  const qlinear_state *s;
  const tarei_run *run;
  tarei_row_form form; /* of float rows */
  tarei_row_bytes rows;
  char *sums; /* of all threads */
  tarei_epilogue epilogue;
} qlinear_job;

static void qlinear_quantize_weights(const tarei_step *const step, const float *const w,
                                     const size_t k, const size_t n, int8_t *const q,
                                     float *const scale) {
  const bool stated = tarei_weight_scales_stated(step, n, scale);
  for (size_t i = 0; !stated && i < n; i++) {
    scale[i] = tarei_weight_scale(w + i, k, n);
  }
  for (size_t j = 0; j < k; j++) {
    for (size_t i = 0; i < n; i++) {
      q[j * n + i] = stated ? tarei_weight_stated(w[j * n + i], scale[i])
                            : tarei_weight_quantize(w[j * n + i], scale[i]);
    }
  }
}

static tare_status qlinear_pack(tarei_step *const step, tarei_blobs *const blobs,
                                qlinear_state *const s, tare_error *const err) {
  const size_t n = s->layer.n, padded = tarei_round_up(n, TAREI_I8_PANEL);
  void *weights, *scale, *add;
  bool fresh;
  TAREI_TRY(tarei_blobs_take(blobs, tarei_i8_packed_size(s->k, n), &weights, &fresh, err));
  TAREI_TRY(tarei_blobs_take(blobs, n * sizeof(float), &scale, &fresh, err));
  TAREI_TRY(tarei_blobs_take(blobs, padded * sizeof(int32_t), &add, &fresh, err));
  s->weights = weights;
  s->layer.weight_scale = scale;
  s->layer.add = add;
  const float *const w = step->graph->values[step->node->in[1]].data->data, *bias;
  TAREI_TRY(tarei_want_bias(step, n, &bias, err));
  if (fresh) {
    int8_t *const q = tarei_calloc(n, s->k);
    if (!q) {
      return tarei_fail_memory(err, "weights", n * s->k);
    }
    qlinear_quantize_weights(step, w, s->k, n, q, scale);
    int32_t *const sums = add;
    tarei_i8_pack(q, n, false, s->k, n, weights, sums);
    for (size_t i = 0; i < padded; i++) {
      sums[i] *= -s->layer.x_zero_point;
    }
    free(q);
  }
  return tarei_int8_layer_requant(&s->layer, step, blobs, bias, err);
}

static tare_status qlinear_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                   tare_error *const err) {
  qlinear_state *const s = step->state;
  TAREI_TRY(tarei_want_weights(step, err));
  TAREI_TRY(tarei_want_residual(step, err));
  TAREI_TRY(tarei_int8_layer_read(&s->layer, step, err));
  const tarei_value *const w = &step->graph->values[step->node->in[1]];
  int64_t k = 0, n = 0;
  (void)tarei_expr_is_const(step->graph->exprs, w->dims[0], &k); /* constants have fixed dims */
  (void)tarei_expr_is_const(step->graph->exprs, w->dims[1], &n);
  s->k = (size_t)k;
  s->layer.k = s->k;
  s->layer.n = s->layer.group_n = (size_t)n;
  s->layer.group_add = tarei_round_up(s->layer.n, TAREI_I8_PANEL);
  return qlinear_pack(step, blobs, s, err);
}

static void qlinear_block(const void *const user, const tarei_block *const b, const int thread) {
  const qlinear_job *const j = user;
  const size_t k = j->s->k;
  const tarei_i8_gemm gemm = {
      .m = b->m,
      .k = k,
      .n = b->n,
      .b = j->s->weights + tarei_i8_packed_size(k, b->column),
      .add = tarei_int8_layer_add(&j->s->layer, j->run->profile) + b->column,
      .epilogue = tarei_epilogue_at(&j->epilogue, b->row, b->column)};
  const tarei_row_bytes rows = tarei_row_bytes_from(&j->rows, b->row);
  tarei_row_bytes_gemm(&rows, &gemm, j->run->kernels,
                       j->sums + (size_t)thread * tarei_row_sums_size(j->form));
}

static void quantize_rows(const void *const user, const size_t first, const size_t end,
                          const int thread) {
  (void)thread;
  const qlinear_job *const j = user;
  const size_t k = j->s->k;
  const float *const x = j->run->in[0]->data;
  const tarei_row_bytes rows = tarei_row_bytes_from(&j->rows, first);
  tarei_row_bytes_fill(j->form, &rows, x + first * k, k, end - first, k, j->run->kernels);
}

static size_t qlinear_rows_of(const qlinear_state *const s, const tare_tensor *const x) {
  return (size_t)tare_tensor_count(x) / s->k;
}

static size_t qlinear_sums_size(const tarei_row_form form, const int threads) {
  return tarei_times(tarei_row_sums_size(form), (size_t)threads);
}

static size_t qlinear_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                              const tare_tensor *const *const out, const int threads) {
  (void)out;
  const qlinear_state *const s = step->state;
  if (!s->layer.float_rows) {
    return 0;
  }
  const tarei_row_form form = tarei_int8_layer_rows(&s->layer, step, 0);
  return tarei_plus(qlinear_sums_size(form, threads),
                    tarei_row_bytes_size(form, qlinear_rows_of(s, in[0]), s->k));
}

/* Bytes that somebody else made, with their scales where each row has one. */
static tare_status qlinear_take_bytes(const tarei_step *const step, qlinear_job *const j,
                                      tare_error *const err) {
  const tare_tensor *const *const in = j->run->in;
  j->rows = (tarei_row_bytes){.upper = in[0]->data, .lda = j->s->k};
  if (j->s->layer.own_scales) {
    const int64_t m = (int64_t)qlinear_rows_of(j->s, in[0]);
    TAREI_TRY(tarei_want_count(step, j->run, TAREI_INT8_ROW_SCALES, m, err));
    j->rows.scales = in[TAREI_INT8_ROW_SCALES]->data;
  }
  return TARE_OK;
}

/* All rows, before the blocks of the product share them. */
static void qlinear_quantize_rows(const tarei_step *const step, qlinear_job *const j) {
  const tarei_run *const r = j->run;
  const size_t k = j->s->k, m = qlinear_rows_of(j->s, r->in[0]);
  j->form = tarei_int8_layer_rows(&j->s->layer, step, r->profile);
  j->sums = r->scratch;
  j->rows = tarei_row_bytes_in(j->form, j->sums + qlinear_sums_size(j->form, r->threads), m, k);
  tarei_row_ranges(r, m, k, LEAST_ELEMENTS, quantize_rows, j);
}

static tare_status qlinear_run(const tarei_step *const step, const tarei_run *const r,
                               tare_error *const err) {
  const qlinear_state *const s = step->state;
  const tare_tensor *residual;
  TAREI_TRY(tarei_fused_residual(step, r, &residual, err));
  TAREI_TRY(tarei_want_dim(step, r, 0, r->in[0]->rank - 1, (int64_t)s->k, err));
  qlinear_job j = {.s = s, .run = r};
  j.epilogue = tarei_int8_layer_epilogue(&s->layer, step, r, residual);
  if (s->layer.float_rows) {
    qlinear_quantize_rows(step, &j);
  } else {
    TAREI_TRY(qlinear_take_bytes(step, &j, err));
  }
  const tarei_grid grid = {qlinear_rows_of(s, r->in[0]), s->layer.n, s->k, s->k};
  tarei_grid_run(&grid, r, qlinear_block, &j);
  return TARE_OK;
}

static size_t qlinear_weight_scales(const tarei_step *const step, const int input,
                                    float *const out) {
  return tarei_int8_layer_scales(&((const qlinear_state *)step->state)->layer, input, out);
}

TAREI_KERNEL_OF(qlinear_kernel, i8_gemm)

const tarei_lowering tarei_lower_qlinear = {.state_bytes = sizeof(qlinear_state),
                                            .prepare = qlinear_prepare,
                                            .scratch = qlinear_scratch,
                                            .run = qlinear_run,
                                            .operations = tarei_operations_by_row,
                                            .weight_scales = qlinear_weight_scales,
                                            .kernel = qlinear_kernel,
                                            .packs = 1u << 1 | 1u << 2 /* weights, bias */};
