/* int8 convolution, channels-last: activations u8, or float whose windows are quantized when it
 * runs; s8 weights per output channel. */
#include <stdlib.h>

#include "base/mem.h"
#include "engine/lower/conv/conv_rows.h"
#include "engine/lower/products/int8_weights.h"
#include "engine/lower/products/row_scales.h"

typedef struct qconv_last_state {
  tarei_conv conv;
  tarei_int8_layer layer;
  bool depthwise;
  const int8_t *weights; /* packed per group, or [taps][channels] for depthwise */
  size_t group_bytes;    /* between the packed weights of two groups */
  size_t group_add;      /* between their column sums */
} qconv_last_state;

typedef struct qconv_last_job {
  const qconv_last_state *s;
  const tarei_run *run;
  const tare_tensor *x, *out;
  tarei_epilogue epilogue;
  tarei_int8_factors factors;
  tarei_row_form form;
  void *row_scratch; /* behind that of the gathered rows */
  char *windows;     /* behind that, of all threads */
} qconv_last_job;

/* Quantizes w[outputs][k] row by row into q, with its scales. */
static void qconv_last_quantize_weights(const tarei_step *const step, const tarei_conv *const c,
                                        const float *const w, int8_t *const q, float *const scale) {
  const bool stated = tarei_weight_scales_stated(step, (size_t)c->outputs, scale);
  for (size_t o = 0; o < (size_t)c->outputs; o++) {
    scale[o] = stated ? scale[o] : tarei_weight_scale(w + o * c->k, c->k, 1);
    for (size_t i = 0; i < c->k; i++) {
      q[o * c->k + i] = stated ? tarei_weight_stated(w[o * c->k + i], scale[o])
                               : tarei_weight_quantize(w[o * c->k + i], scale[o]);
    }
  }
}

static void qconv_last_pack_depthwise(const qconv_last_state *const s, const int8_t *const q,
                                      int8_t *const to, int32_t *const add) {
  const size_t taps = s->conv.k, channels = (size_t)s->conv.outputs;
  for (size_t o = 0; o < channels; o++) {
    int32_t sum = 0;
    for (size_t j = 0; j < taps; j++) {
      const int8_t tap = q[o * taps + (size_t)tarei_conv_tap(&s->conv, (int64_t)j)];
      to[j * channels + o] = tap;
      sum += tap;
    }
    add[o] = -s->layer.x_zero_point * sum;
  }
}

/* `add` becomes the sums of the weights. */
static void pack_groups(const qconv_last_state *const s, const int8_t *const q, int8_t *const to,
                        int32_t *const add) {
  const size_t n = (size_t)(s->conv.outputs / s->conv.group), k = s->conv.k;
  for (size_t g = 0; g < (size_t)s->conv.group; g++) {
    tarei_i8_pack(q + g * n * k, k, true /* w[n][k] */, k, n, to + g * s->group_bytes,
                  add + g * s->group_add);
  }
}

static tare_status qconv_last_pack(tarei_step *const step, tarei_blobs *const blobs,
                                   qconv_last_state *const s, tare_error *const err) {
  const tarei_conv *const c = &s->conv;
  const size_t n = (size_t)(c->outputs / c->group);
  s->group_bytes = tarei_i8_packed_size(c->k, n);
  s->group_add = s->depthwise ? 1 : tarei_round_up(n, TAREI_I8_PANEL);
  const size_t bytes = s->depthwise ? (size_t)c->outputs * c->k : s->group_bytes * (size_t)c->group;
  void *weights, *scale, *add;
  bool fresh;
  TAREI_TRY(tarei_blobs_take(blobs, bytes, &weights, &fresh, err));
  TAREI_TRY(tarei_blobs_take(blobs, (size_t)c->outputs * sizeof(float), &scale, &fresh, err));
  TAREI_TRY(tarei_blobs_take(blobs, s->group_add * (size_t)c->group * sizeof(int32_t), &add, &fresh,
                             err));
  s->weights = weights;
  s->layer.weight_scale = scale;
  s->layer.add = add;
  s->layer.group_n = n;
  s->layer.group_add = s->group_add;
  const float *const w = step->graph->values[step->node->in[1]].data->data, *bias;
  TAREI_TRY(tarei_want_bias(step, (size_t)c->outputs, &bias, err));
  if (fresh) {
    int8_t *const q = tarei_calloc((size_t)c->outputs, c->k);
    if (!q) {
      return tarei_fail_memory(err, "weights", (size_t)c->outputs * c->k);
    }
    qconv_last_quantize_weights(step, c, w, q, scale);
    if (s->depthwise) {
      qconv_last_pack_depthwise(s, q, weights, add);
    } else {
      pack_groups(s, q, weights, add);
    }
    free(q);
  }
  float *const moved =
      fresh && s->layer.x_bound != 0 ? tarei_int8_layer_move_bias(&s->layer, add, bias) : NULL;
  if (fresh && s->layer.x_bound != 0 && !moved) {
    return tarei_fail_memory(err, "bias", s->layer.n * sizeof *moved);
  }
  for (size_t i = 0; fresh && !s->depthwise && i < s->group_add * (size_t)c->group; i++) {
    ((int32_t *)add)[i] *= -s->layer.x_zero_point;
  }
  const tare_status status =
      tarei_int8_layer_requant(&s->layer, step, blobs, moved ? moved : bias, err);
  free(moved);
  return status;
}

static tare_status qconv_last_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                      tare_error *const err) {
  qconv_last_state *const s = step->state;
  TAREI_TRY(tarei_conv_read(step, &s->conv, err));
  TAREI_TRY(tarei_want_residual(step, err));
  TAREI_TRY(tarei_int8_layer_read(&s->layer, step, err));
  s->depthwise = tarei_conv_is_depthwise(&s->conv);
  if (s->depthwise && s->layer.float_rows) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "depthwise convolutions have no row scales and no 16-bit activations");
  }
  s->layer.k = s->conv.k;
  s->layer.n = (size_t)s->conv.outputs;
  return qconv_last_pack(step, blobs, s, err);
}

static size_t qconv_last_element_of(const qconv_last_state *const s) {
  return s->layer.float_rows ? sizeof(float) : 1;
}

enum { MOST_PARTS = 128 /* of a window */, WHOLE_PIECE = 8, LONG_PART = 32 };

/* Windows become bytes where they lie, of 16 bits and of groups only once they are gathered; and so
 * do those whose parts are short and no whole pieces of vectors. */
static bool qconv_last_takes_windows(const qconv_last_state *const s) {
  const size_t parts = (size_t)tarei_conv_stretches(&s->conv), part = s->conv.k / parts;
  return s->layer.float_rows && !s->layer.sixteen && s->conv.group == 1 &&
         (s->conv.space == 2 || tarei_conv_is_dilated_line(&s->conv)) && parts <= MOST_PARTS &&
         part > 0 && (part % WHOLE_PIECE == 0 || part >= LONG_PART);
}

/* Bytes are multiplied where they lie if that needs no kernel that is slower than that of gathered
 * rows. */
static tarei_conv_parts qconv_last_parts(const qconv_last_state *const s,
                                         const tarei_kernels *const k) {
  if (qconv_last_takes_windows(s)) {
    return TAREI_CONV_PARTS_BY_BLOCKS;
  }
  const size_t part = s->conv.k / (size_t)s->conv.window.kernel[s->conv.space == 1];
  return !s->layer.float_rows && part % 4 == 0 && k->i8_windows_isa == k->i8_gemm_isa
             ? TAREI_CONV_PARTS_BY_LINES
             : TAREI_CONV_NO_PARTS;
}

/* Of the windows of a block. */
static size_t qconv_last_window_bytes(const qconv_last_state *const s) {
  const tarei_row_form form = {.sixteen = false};
  return qconv_last_takes_windows(s)
             ? tarei_row_bytes_size(form, tarei_conv_block_rows(&s->conv, sizeof(float)),
                                    tarei_row_bytes_stride(s->conv.k))
             : 0;
}

static size_t qconv_last_rows_scratch(const tarei_step *const step, const int threads) {
  const qconv_last_state *const s = step->state;
  return s->layer.float_rows ? tarei_row_scales_scratch(tarei_int8_layer_rows(&s->layer, step, 0),
                                                        s->conv.k, threads)
                             : 0;
}

/* They come first in scratch. */
static size_t qconv_last_factors_size(const qconv_last_state *const s) {
  return tarei_round_up(tarei_int8_factors_size(&s->layer), TAREI_ALIGN);
}

static size_t qconv_last_rest(const tarei_step *const step, const tare_tensor *const *const in,
                              const tare_tensor *const *const out, const int threads) {
  const qconv_last_state *const s = step->state;
  if (s->depthwise) {
    return tarei_conv_has_planes(&s->conv) ? tarei_conv_planes_scratch(&s->conv, in[0], 1) : 0;
  }
  const size_t windows = tarei_times(qconv_last_window_bytes(s), (size_t)threads);
  return tarei_plus(
      tarei_plus(tarei_conv_scratch(&s->conv, out[0], qconv_last_element_of(s), threads),
                 qconv_last_rows_scratch(step, threads)),
      windows);
}

static size_t qconv_last_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                                 const tare_tensor *const *const out, const int threads) {
  return tarei_plus(qconv_last_factors_size(step->state), qconv_last_rest(step, in, out, threads));
}

/* A line of windows; the last one of a block multiplies it. */
static void qconv_last_windows(const qconv_last_job *const j, const tarei_i8_gemm *const gemm,
                               const tarei_conv_row_set *const rows, const int thread) {
  const qconv_last_state *const s = j->s;
  char *const memory = j->windows + (size_t)thread * qconv_last_window_bytes(s);
  const size_t most = tarei_conv_block_rows(&s->conv, sizeof(float));
  const tarei_row_bytes all =
      tarei_row_bytes_in(j->form, memory, most, tarei_row_bytes_stride(gemm->k));
  const tarei_row_bytes line = tarei_row_bytes_from(&all, rows->before);
  size_t at[MOST_PARTS];
  const size_t parts = rows->parts * rows->pieces;
  for (size_t p = 0; p < parts; p++) {
    at[p] =
        (p / rows->pieces * rows->part_step + p % rows->pieces * rows->piece_step) / sizeof(float);
  }
  const tarei_window_rows windows = {.x = rows->a,
                                     .ldx = rows->lda / sizeof(float),
                                     .m = rows->m,
                                     .parts = parts,
                                     .part = gemm->k / parts,
                                     .at = at,
                                     .out = line.upper,
                                     .ldo = line.lda,
                                     .scales = line.scales,
                                     .zero_point = j->form.zero_point};
  j->run->kernels->quantize_windows(&windows);
  if (rows->before + rows->m == rows->block) {
    tarei_i8_gemm product = *gemm;
    product.m = rows->block;
    product.parts = 1;
    product.epilogue = tarei_epilogue_at(&j->epilogue, rows->first - rows->before, 0);
    tarei_row_bytes_gemm(&all, &product, j->run->kernels, NULL /* 16 bits only */);
  }
}

static void qconv_last_rows(const void *const user, const tarei_conv_row_set *const rows,
                            const int thread) {
  const qconv_last_job *const j = user;
  const qconv_last_state *const s = j->s;
  const size_t n = (size_t)(s->conv.outputs / s->conv.group), group = (size_t)rows->group;
  const tarei_i8_gemm gemm = {.a = rows->a,
                              .lda = rows->lda,
                              .m = rows->m,
                              .k = s->conv.k,
                              .n = n,
                              .parts = rows->parts,
                              .part_step = rows->part_step,
                              .b = s->weights + group * s->group_bytes,
                              .add = j->factors.add + group * s->group_add,
                              .epilogue = tarei_epilogue_at(&j->epilogue, rows->first, group * n)};
  if (s->layer.float_rows && rows->block > 0) {
    qconv_last_windows(j, &gemm, rows, thread);
  } else if (s->layer.float_rows) {
    tarei_row_scales_gemm(j->form, &gemm, rows->a, rows->lda / sizeof(float), rows->m,
                          j->run->kernels, j->row_scratch, thread);
  } else if (rows->parts > 1) {
    j->run->kernels->i8_windows(&gemm);
  } else {
    j->run->kernels->i8_gemm(&gemm);
  }
}

static void qconv_last_span(const void *const user, tarei_dw_conv *const call, const size_t row) {
  const qconv_last_job *const j = user;
  call->w = j->s->weights;
  call->add = j->factors.add;
  call->zero_point = j->factors.zero_point;
  call->epilogue = tarei_epilogue_at(&j->epilogue, row, 0);
  j->run->kernels->dw_conv_i8(call);
}

static void qconv_last_planes(const void *const user, tarei_dw_planes *const call,
                              const size_t row) {
  const qconv_last_job *const j = user;
  call->w = j->s->weights;
  call->add = j->factors.add;
  call->epilogue = tarei_epilogue_at(&j->epilogue, row, 0);
  j->run->kernels->dw_planes_i8(call);
}

/* Dense convolutions and those of groups. */
static void qconv_last_run_rows(qconv_last_job *const j, const tarei_step *const step) {
  const qconv_last_state *const s = j->s;
  const tarei_run *const r = j->run;
  const uint8_t pad = s->layer.float_rows ? 0 /* 0.0f */ : (uint8_t)j->factors.zero_point;
  j->form = s->layer.float_rows ? tarei_int8_layer_rows(&s->layer, step, r->profile)
                                : (tarei_row_form){0};
  j->row_scratch = (char *)r->scratch +
                   tarei_conv_scratch(&s->conv, j->out, qconv_last_element_of(s), r->threads);
  j->windows = (char *)j->row_scratch + qconv_last_rows_scratch(step, r->threads);
  tarei_conv_rows(&s->conv, r, j->x, j->out, qconv_last_element_of(s), pad,
                  qconv_last_parts(s, r->kernels), qconv_last_rows, j);
}

static tare_status qconv_last_run(const tarei_step *const step, const tarei_run *const r,
                                  tare_error *const err) {
  const qconv_last_state *const s = step->state;
  const tare_tensor *residual;
  TAREI_TRY(tarei_fused_residual(step, r, &residual, err));
  TAREI_TRY(tarei_want_dim(step, r, 0, r->in[0]->rank - 1, s->conv.channels, err));
  tarei_run rest = *r; /* behind the factors */
  rest.scratch = (char *)r->scratch + qconv_last_factors_size(s);
  qconv_last_job j = {.s = s, .run = &rest, .x = r->in[0], .out = r->out[0]};
  j.epilogue = tarei_int8_layer_epilogue(&s->layer, step, r, residual);
  TAREI_TRY(tarei_int8_factors_take(&s->layer, step, r, r->scratch, &j.epilogue, &j.factors, err));
  if (s->depthwise && tarei_conv_has_planes(&s->conv)) {
    tarei_conv_planes(&s->conv, &rest, j.x, j.out, 1, (uint8_t)j.factors.zero_point,
                      qconv_last_planes, &j);
  } else if (s->depthwise) {
    tarei_conv_spans(&s->conv, &rest, j.x, j.out, 1, qconv_last_span, &j);
  } else {
    qconv_last_run_rows(&j, step);
  }
  return TARE_OK;
}

static size_t qconv_last_weight_scales(const tarei_step *const step, const int input,
                                       float *const out) {
  return tarei_int8_layer_scales(&((const qconv_last_state *)step->state)->layer, input, out);
}

static const char *qconv_last_kernel(const tarei_step *const step, const tarei_kernels *const k) {
  const qconv_last_state *const s = step->state;
  return !s->depthwise                     ? k->i8_gemm_name
         : tarei_conv_has_planes(&s->conv) ? k->dw_planes_i8_name
                                           : k->dw_conv_i8_name;
}

const tarei_lowering tarei_lower_qconv_last = {.state_bytes = sizeof(qconv_last_state),
                                               .prepare = qconv_last_prepare,
                                               .scratch = qconv_last_scratch,
                                               .run = qconv_last_run,
                                               .operations = tarei_operations_by_weights,
                                               .weight_scales = qconv_last_weight_scales,
                                               .kernel = qconv_last_kernel,
                                               .packs = 1u << 1 | 1u << 2 /* weights, bias */};
