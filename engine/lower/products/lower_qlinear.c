/* int8 linear layer: X [..., K] u8, with a scale for all rows or for each, or float that is
 * quantized when it runs; W [K, N] quantized per column. */
#include <stdlib.h>

#include "base/mem.h"
#include "engine/lower/products/act_rows.h"
#include "engine/lower/products/grid.h"
#include "engine/lower/products/int8_weights.h"
#include "engine/threads.h"
#include "graph/quantize/lower_bound.h"

#define LEAST_ELEMENTS 16384 /* to be quantized: worth a thread's while */
#define NEAR_FLOATS 69632    /* of a thread, which become rows of bytes before they leave L2 */
#define ROW_STEP 32          /* rows at a time that the kernels like */

typedef struct qlinear_state {
  tarei_int8_layer layer;
  size_t k;
  const int8_t *weights;  /* packed */
  tarei_act_rows rows_of; /* what it writes, where these are rows of bytes */
} qlinear_state;

typedef struct qlinear_job {
  const qlinear_state *s;
  const tarei_run *run;
  tarei_row_form form; /* of float rows */
  tarei_row_bytes rows;
  char *sums; /* of all threads */
  tarei_epilogue epilogue;
  float *floats;    /* of which some rows of the output are made, */
  size_t first_row; /* from this one on */
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

/* The bias and what the bound stands for from which bytes count; NULL if memory runs out. */
static float *qlinear_move_bias(const tarei_int8_layer *const layer, const int32_t *const sums,
                                const float *const bias) {
  float *const moved = tarei_calloc(layer->n, sizeof *moved);
  for (size_t i = 0; moved && i < layer->n; i++) {
    const double of_bound = (double)layer->x_bound * (double)layer->weight_scale[i] * sums[i];
    moved[i] = (float)((bias ? (double)bias[i] : 0) + of_bound);
  }
  return moved;
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
  float *moved = NULL;
  if (fresh) {
    int8_t *const q = tarei_calloc(n, s->k);
    if (!q) {
      return tarei_fail_memory(err, "weights", n * s->k);
    }
    qlinear_quantize_weights(step, w, s->k, n, q, scale);
    int32_t *const sums = add;
    tarei_i8_pack(q, n, false, s->k, n, weights, sums);
    free(q);
    moved = s->layer.x_bound < 0 ? qlinear_move_bias(&s->layer, sums, bias) : NULL;
    if (s->layer.x_bound < 0 && !moved) {
      return tarei_fail_memory(err, "bias", n * sizeof *moved);
    }
    for (size_t i = 0; i < padded; i++) {
      sums[i] *= -s->layer.x_zero_point;
    }
  }
  const tare_status status =
      tarei_int8_layer_requant(&s->layer, step, blobs, moved ? moved : bias, err);
  free(moved);
  return status;
}

/* It writes rows of bytes only behind an activation with a bound, and no floats beside them. */
static tare_status qlinear_want_rows(const tarei_step *const step, const tarei_fused *const fused,
                                     tare_error *const err) {
  if (fused->rows_output >= 0 && fused->f32_output >= 0) {
    return tarei_fail(err, TARE_E_MODEL, "writes floats beside rows of bytes");
  }
  if (fused->rows_output >= 0 && !(tarei_layer_bound(step->node) < 0)) {
    return tarei_fail(err, TARE_E_MODEL, "writes rows of bytes of '%s', which has no lower bound",
                      tarei_act_name(fused->act));
  }
  return TARE_OK;
}

static tare_status qlinear_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                   tare_error *const err) {
  qlinear_state *const s = step->state;
  TAREI_TRY(tarei_want_weights(step, err));
  TAREI_TRY(tarei_want_residual(step, err));
  TAREI_TRY(tarei_int8_layer_read(&s->layer, step, err));
  TAREI_TRY(qlinear_want_rows(step, &s->layer.fused, err));
  const tarei_value *const w = &step->graph->values[step->node->in[1]];
  int64_t k = 0, n = 0;
  (void)tarei_expr_is_const(step->graph->exprs, w->dims[0], &k); /* constants have fixed dims */
  (void)tarei_expr_is_const(step->graph->exprs, w->dims[1], &n);
  s->k = (size_t)k;
  s->layer.k = s->k;
  s->layer.n = s->layer.group_n = (size_t)n;
  s->layer.group_add = tarei_round_up(s->layer.n, TAREI_I8_PANEL);
  TAREI_TRY(qlinear_pack(step, blobs, s, err));
  return s->layer.fused.rows_output < 0
             ? TARE_OK
             : tarei_act_rows_take(&s->rows_of, step, s->layer.fused.act, blobs, err);
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

/* Rows of a power of two apart would meet in a cache set. */
static size_t qlinear_float_row(const qlinear_state *const s) {
  const size_t line = TAREI_ALIGN / sizeof(float);
  return tarei_round_up(s->layer.n, line) + line;
}

/* Rows of the output that are floats at a time, on their way to bytes. */
static size_t qlinear_rows_at_once(const qlinear_state *const s, const size_t m,
                                   const int threads) {
  const size_t near = NEAR_FLOATS / qlinear_float_row(s) / ROW_STEP * ROW_STEP;
  const size_t most = (near ? near : ROW_STEP) * (size_t)threads;
  return m < most ? m : most;
}

static size_t qlinear_floats_size(const qlinear_state *const s, const size_t m, const int threads) {
  const size_t rows = s->rows_of.bound < 0 ? qlinear_rows_at_once(s, m, threads) : 0;
  return tarei_round_up(tarei_times(tarei_times(rows, qlinear_float_row(s)), sizeof(float)),
                        TAREI_ALIGN);
}

static size_t qlinear_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                              const tare_tensor *const *const out, const int threads) {
  (void)out;
  const qlinear_state *const s = step->state;
  const size_t m = qlinear_rows_of(s, in[0]), floats = qlinear_floats_size(s, m, threads);
  if (!s->layer.float_rows) {
    return floats;
  }
  const tarei_row_form form = tarei_int8_layer_rows(&s->layer, step, 0);
  return tarei_plus(
      floats, tarei_plus(qlinear_sums_size(form, threads), tarei_row_bytes_size(form, m, s->k)));
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
  j->sums = (char *)r->scratch + qlinear_floats_size(j->s, m, r->threads);
  j->rows = tarei_row_bytes_in(j->form, j->sums + qlinear_sums_size(j->form, r->threads), m, k);
  tarei_row_ranges(r, m, k, LEAST_ELEMENTS, quantize_rows, j);
}

static void qlinear_fill_rows(const void *const user, const size_t first, const size_t end,
                              const int thread) {
  (void)thread;
  const qlinear_job *const j = user;
  const size_t n = j->s->layer.n, row = j->first_row + first;
  const size_t ld = qlinear_float_row(j->s);
  tarei_act_rows_fill(&j->s->rows_of, j->floats + first * ld, ld, end - first, n,
                      (uint8_t *)j->run->out[0]->data + row * n,
                      (float *)j->run->out[1]->data + row, j->run->kernels);
}

/* Some rows at a time, as floats and then as bytes. */
static void qlinear_run_rows(qlinear_job *const j, const size_t m) {
  const qlinear_state *const s = j->s;
  const size_t n = s->layer.n, most = qlinear_rows_at_once(s, m, j->run->threads);
  const tarei_row_bytes rows = j->rows;
  j->floats = j->run->scratch;
  j->epilogue.act = TAREI_ACT_none;
  j->epilogue.out_f32 = j->floats;
  j->epilogue.ld_f32 = qlinear_float_row(s);
  for (j->first_row = 0; j->first_row < m; j->first_row += most) {
    const size_t left = m - j->first_row, count = left < most ? left : most;
    const tarei_grid grid = {count, n, s->k, s->k};
    j->rows = tarei_row_bytes_from(&rows, j->first_row);
    tarei_grid_run(&grid, j->run, qlinear_block, j);
    tarei_row_ranges(j->run, count, n, LEAST_ELEMENTS, qlinear_fill_rows, j);
  }
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
  if (s->rows_of.bound < 0) {
    qlinear_run_rows(&j, qlinear_rows_of(s, r->in[0]));
    return TARE_OK;
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
