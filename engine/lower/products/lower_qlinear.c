/* int8 linear layer: X [..., K] u8, with a scale for all rows or for each, or float that is
 * quantized when it runs; W [K, N] quantized per column. */
#include <stdlib.h>

#include "base/mem.h"
#include "engine/lower/products/linear_blocks.h"
#include "graph/quantize/lower_bound.h"

typedef struct qlinear_job {
  const tarei_linear *l;
  const tarei_run *run;
  tarei_row_bytes rows;
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
                                tarei_linear *const l, tare_error *const err) {
  const size_t n = l->layer.n, padded = tarei_round_up(n, TAREI_I8_PANEL);
  void *weights, *scale, *add;
  bool fresh;
  TAREI_TRY(tarei_blobs_take(blobs, tarei_i8_packed_size(l->k, n), &weights, &fresh, err));
  TAREI_TRY(tarei_blobs_take(blobs, n * sizeof(float), &scale, &fresh, err));
  TAREI_TRY(tarei_blobs_take(blobs, padded * sizeof(int32_t), &add, &fresh, err));
  l->weights = weights;
  l->layer.weight_scale = scale;
  l->layer.add = add;
  const float *const w = step->graph->values[step->node->in[1]].data->data, *bias;
  TAREI_TRY(tarei_want_bias(step, n, &bias, err));
  float *moved = NULL;
  if (fresh) {
    int8_t *const q = tarei_calloc(n, l->k);
    if (!q) {
      return tarei_fail_memory(err, "weights", n * l->k);
    }
    qlinear_quantize_weights(step, w, l->k, n, q, scale);
    int32_t *const sums = add;
    tarei_i8_pack(q, n, false, l->k, n, weights, sums);
    free(q);
    moved = l->layer.x_bound != 0 ? tarei_int8_layer_move_bias(&l->layer, sums, bias) : NULL;
    if (l->layer.x_bound != 0 && !moved) {
      return tarei_fail_memory(err, "bias", n * sizeof *moved);
    }
    for (size_t i = 0; i < padded; i++) {
      sums[i] *= -l->layer.x_zero_point;
    }
  }
  const tare_status status =
      tarei_int8_layer_requant(&l->layer, step, blobs, moved ? moved : bias, err);
  free(moved);
  return status;
}

/* No floats may stand beside rows. */
static tare_status qlinear_read_rows(tarei_linear *const l, const tarei_step *const step,
                                     tarei_blobs *const blobs, tare_error *const err) {
  const tarei_fused *const fused = &l->layer.fused;
  if (fused->rows_output < 0) {
    return TARE_OK;
  }
  if (fused->f32_output >= 0) {
    return tarei_fail(err, TARE_E_MODEL, "writes floats beside rows of bytes");
  }
  l->groups = (size_t)tarei_attr_int(step->node, TAREI_ATTR_ROW_GROUPS, 1); /* checked by infer */
  return tarei_layer_bound(step->node) < 0
             ? tarei_act_rows_take(&l->rows_of, step, fused->act, blobs, err)
             : TARE_OK;
}

static tare_status qlinear_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                   tare_error *const err) {
  tarei_linear *const l = step->state;
  TAREI_TRY(tarei_want_weights(step, err));
  TAREI_TRY(tarei_want_residual(step, err));
  TAREI_TRY(tarei_int8_layer_read(&l->layer, step, err));
  const tarei_value *const w = &step->graph->values[step->node->in[1]];
  int64_t k = 0, n = 0;
  (void)tarei_expr_is_const(step->graph->exprs, w->dims[0], &k); /* constants have fixed dims */
  (void)tarei_expr_is_const(step->graph->exprs, w->dims[1], &n);
  l->k = (size_t)k;
  l->layer.k = l->k;
  l->layer.n = l->layer.group_n = (size_t)n;
  l->layer.group_add = tarei_round_up(l->layer.n, TAREI_I8_PANEL);
  TAREI_TRY(qlinear_pack(step, blobs, l, err));
  return qlinear_read_rows(l, step, blobs, err);
}

static size_t qlinear_rows_of(const tarei_linear *const l, const tare_tensor *const x) {
  return (size_t)tare_tensor_count(x) / l->k;
}

/* They come first in scratch. */
static size_t qlinear_factors_size(const tarei_linear *const l) {
  return tarei_round_up(tarei_int8_factors_size(&l->layer), TAREI_ALIGN);
}

static size_t qlinear_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                              const tare_tensor *const *const out, const int threads) {
  (void)out;
  const tarei_linear *const l = step->state;
  const size_t blocks =
      tarei_linear_has_blocks(l)
          ? tarei_linear_blocks_scratch(l, step, qlinear_rows_of(l, in[0]), threads)
          : 0;
  return tarei_plus(qlinear_factors_size(l), blocks);
}

/* Bytes that somebody else made, with their scales where each row has one. */
static tare_status qlinear_take_bytes(const tarei_step *const step, const tarei_run *const r,
                                      tarei_row_bytes *const rows, tare_error *const err) {
  const tarei_linear *const l = step->state;
  *rows = (tarei_row_bytes){.upper = r->in[0]->data, .lda = l->k};
  if (l->layer.own_scales && !l->layer.run_time) {
    const int64_t m = (int64_t)qlinear_rows_of(l, r->in[0]);
    TAREI_TRY(tarei_want_count(step, r, TAREI_INT8_ROW_SCALES, m, err));
    rows->scales = r->in[TAREI_INT8_ROW_SCALES]->data;
  }
  return TARE_OK;
}

static void qlinear_block(const void *const user, const tarei_block *const b, const int thread) {
  (void)thread;
  const qlinear_job *const j = user;
  tarei_linear_multiply(j->l, j->run, &j->rows, &j->epilogue, b, NULL);
}

static tare_status qlinear_run(const tarei_step *const step, const tarei_run *const r,
                               tare_error *const err) {
  const tarei_linear *const l = step->state;
  const size_t m = qlinear_rows_of(l, r->in[0]);
  const tare_tensor *residual;
  TAREI_TRY(tarei_fused_residual(step, r, &residual, err));
  TAREI_TRY(tarei_want_dim(step, r, 0, r->in[0]->rank - 1, (int64_t)l->k, err));
  tarei_run rest = *r; /* behind the factors */
  rest.scratch = (char *)r->scratch + qlinear_factors_size(l);
  qlinear_job j = {.l = l, .run = &rest};
  tarei_int8_factors factors;
  j.epilogue = tarei_int8_layer_epilogue(&l->layer, step, r, residual);
  TAREI_TRY(l->layer.float_rows ? TARE_OK : qlinear_take_bytes(step, r, &j.rows, err));
  TAREI_TRY(tarei_int8_factors_take(&l->layer, step, r, r->scratch, &j.epilogue, &factors, err));
  j.rows.add = l->layer.run_time ? factors.add : NULL;
  if (tarei_linear_has_blocks(l)) {
    tarei_linear_blocks_run(l, step, &rest, &j.rows, &j.epilogue, m);
    return TARE_OK;
  }
  const tarei_grid grid = tarei_linear_grid(l, r, m);
  tarei_grid_run(&grid, &rest, qlinear_block, &j);
  return TARE_OK;
}

static size_t qlinear_weight_scales(const tarei_step *const step, const int input,
                                    float *const out) {
  return tarei_int8_layer_scales(&((const tarei_linear *)step->state)->layer, input, out);
}

TAREI_KERNEL_OF(qlinear_kernel, i8_gemm)

const tarei_lowering tarei_lower_qlinear = {.state_bytes = sizeof(tarei_linear),
                                            .prepare = qlinear_prepare,
                                            .scratch = qlinear_scratch,
                                            .run = qlinear_run,
                                            .operations = tarei_operations_by_row,
                                            .weight_scales = qlinear_weight_scales,
                                            .kernel = qlinear_kernel,
                                            .packs = 1u << 1 | 1u << 2 /* weights, bias */};
