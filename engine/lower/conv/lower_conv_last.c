/* Float convolution, channels-last: depthwise kernel, Winograd's tiles, Fourier transforms, or rows
 * of a matrix product, in bf16 where the node says so. */
#include <stdlib.h>

#include "base/mem.h"
#include "engine/lower/conv/conv_fourier.h"
#include "engine/lower/conv/conv_rows.h"
#include "engine/lower/conv/conv_winograd.h"
#include "engine/lower/fused.h"
#include "engine/lower/products/float_weights.h"

typedef struct conv_last_state {
  tarei_conv conv;
  tarei_fused fused;
  bool depthwise, winograd, fourier;
  const float *bias;           /* or NULL */
  tarei_float_weights weights; /* of other convolutions */
  const float *taps;           /* of depthwise ones, [taps][channels]; packed ones of Winograd's */
  tarei_conv_fourier spectrum;
} conv_last_state;

typedef struct conv_last_job {
  const conv_last_state *s;
  const tarei_run *run;
  const tare_tensor *x, *out;
  tarei_epilogue epilogue;
  void *scratch; /* behind that of the gathered rows */
} conv_last_job;

/* [channels][taps][1] to [taps][channels]. */
static void conv_last_pack_depthwise(const tarei_conv *const c, const float *const w,
                                     float *const to) {
  for (int64_t o = 0; o < c->outputs; o++) {
    for (int64_t j = 0; j < tarei_conv_taps(c); j++) {
      to[j * c->outputs + o] = w[o * tarei_conv_taps(c) + tarei_conv_tap(c, j)];
    }
  }
}

static tare_status conv_last_pack(tarei_step *const step, tarei_blobs *const blobs,
                                  conv_last_state *const s, tare_error *const err) {
  const tarei_conv *const c = &s->conv;
  const float *const w = step->graph->values[step->node->in[1]].data->data;
  if (s->fourier) {
    return tarei_conv_fourier_take(step, c, w, blobs, &s->spectrum, err);
  }
  if (!s->depthwise && !s->winograd) {
    s->weights.k = c->k;
    s->weights.n = (size_t)(c->outputs / c->group);
    s->weights.groups = (size_t)c->group;
    return tarei_float_weights_take(&s->weights, step, blobs, w, true /* w[n][k] */, err);
  }
  const size_t bytes = s->winograd ? tarei_winograd_packed_size(c)
                                   : (size_t)(c->outputs * tarei_conv_taps(c)) * sizeof(float);
  void *data;
  bool fresh;
  TAREI_TRY(tarei_blobs_take(blobs, bytes, &data, &fresh, err));
  s->taps = data;
  if (fresh && s->winograd) {
    return tarei_winograd_pack(c, w, step->kernels, data, err);
  }
  if (fresh) {
    conv_last_pack_depthwise(c, w, data);
  }
  return TARE_OK;
}

static tare_status conv_last_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                     tare_error *const err) {
  conv_last_state *const s = step->state;
  TAREI_TRY(tarei_conv_read(step, &s->conv, err));
  TAREI_TRY(tarei_fused_read(step, &s->fused, err));
  TAREI_TRY(tarei_float_weights_read(step, &s->weights, err));
  s->depthwise = tarei_conv_is_depthwise(&s->conv);
  s->winograd = tarei_float_weights_are_plain(&s->weights) && tarei_winograd_serves(&s->conv);
  s->fourier = tarei_conv_fourier_serves(step->node);
  if (s->depthwise && s->weights.bf16) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "depthwise convolutions have no bf16 products");
  }
  TAREI_TRY(tarei_want_float(step, 2, err));
  TAREI_TRY(tarei_want_residual(step, err));
  TAREI_TRY(tarei_want_bias(step, (size_t)s->conv.outputs, &s->bias, err));
  return conv_last_pack(step, blobs, s, err);
}

static size_t conv_last_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                                const tare_tensor *const *const out, const int threads) {
  const conv_last_state *const s = step->state;
  if (s->depthwise) {
    return tarei_conv_has_planes(&s->conv)
               ? tarei_conv_planes_scratch(&s->conv, in[0], sizeof(float))
               : 0;
  }
  if (s->winograd) {
    return tarei_winograd_scratch(&s->conv, threads);
  }
  return tarei_plus(tarei_conv_scratch(&s->conv, out[0], sizeof(float), threads),
                    s->fourier ? tarei_conv_fourier_scratch(&s->spectrum, threads)
                               : tarei_float_weights_scratch(&s->weights, threads));
}

static void conv_last_rows(const void *const user, const tarei_conv_row_set *const rows,
                           const int thread) {
  const conv_last_job *const j = user;
  const conv_last_state *const s = j->s;
  const size_t n = (size_t)(s->conv.outputs / s->conv.group), group = (size_t)rows->group;
  const tarei_f32_gemm gemm = {.a = rows->a,
                               .lda = rows->lda / sizeof(float),
                               .m = rows->m,
                               .k = s->conv.k,
                               .n = n,
                               .parts = rows->parts,
                               .part_step = rows->part_step / sizeof(float),
                               .epilogue = tarei_epilogue_at(&j->epilogue, rows->first, group * n)};
  tarei_float_weights_gemm(&s->weights, group, 0, &gemm, j->run->kernels, j->scratch, thread);
}

static void conv_last_frames(const void *const user, const tarei_conv_row_set *const rows,
                             const int thread) {
  const conv_last_job *const j = user;
  tarei_conv_fourier_rows(&j->s->spectrum, rows, &j->epilogue, j->run->kernels, j->scratch, thread);
}

static void conv_last_span(const void *const user, tarei_dw_conv *const call, const size_t row) {
  const conv_last_job *const j = user;
  call->w = j->s->taps;
  call->epilogue = tarei_epilogue_at(&j->epilogue, row, 0);
  j->run->kernels->dw_conv_f32(call);
}

static void conv_last_planes(const void *const user, tarei_dw_planes *const call,
                             const size_t row) {
  const conv_last_job *const j = user;
  call->w = j->s->taps;
  call->epilogue = tarei_epilogue_at(&j->epilogue, row, 0);
  j->run->kernels->dw_planes_f32(call);
}

static tare_status conv_last_run(const tarei_step *const step, const tarei_run *const r,
                                 tare_error *const err) {
  const conv_last_state *const s = step->state;
  const tare_tensor *residual;
  TAREI_TRY(tarei_fused_residual(step, r, &residual, err));
  TAREI_TRY(tarei_want_dim(step, r, 0, r->in[0]->rank - 1, s->conv.channels, err));
  conv_last_job j = {.s = s, .run = r, .x = r->in[0], .out = r->out[0]};
  j.epilogue = tarei_fused_epilogue(&s->fused, step, r, residual, (size_t)s->conv.outputs);
  j.epilogue.bias = s->bias;
  if (s->depthwise && tarei_conv_has_planes(&s->conv)) {
    tarei_conv_planes(&s->conv, r, j.x, j.out, sizeof(float), 0 /* pad with 0.0f */,
                      conv_last_planes, &j);
  } else if (s->depthwise) {
    tarei_conv_spans(&s->conv, r, j.x, j.out, sizeof(float), conv_last_span, &j);
  } else if (s->winograd) {
    tarei_winograd_run(&s->conv, s->taps, r, j.x, j.out, &j.epilogue);
  } else {
    j.scratch = (char *)r->scratch + tarei_conv_scratch(&s->conv, j.out, sizeof(float), r->threads);
    tarei_conv_rows(&s->conv, r, j.x, j.out, sizeof(float), 0 /* pad with 0.0f */,
                    tarei_float_weights_are_plain(&s->weights) ? TAREI_CONV_PARTS_BY_LINES
                                                               : TAREI_CONV_NO_PARTS,
                    s->fourier ? conv_last_frames : conv_last_rows, &j);
  }
  return TARE_OK;
}

static void conv_last_row(const tarei_step *const step, const tarei_run *const r,
                          const size_t position, float *const out) {
  const conv_last_state *const s = step->state;
  tarei_conv_row(&s->conv, r->in[0], r->out[0], sizeof *out, 0 /* pad with 0.0f */, position, out);
}

static size_t conv_last_weight_scales(const tarei_step *const step, const int input,
                                      float *const out) {
  return tarei_float_weights_scales(&((const conv_last_state *)step->state)->weights, input, out);
}

static double conv_last_operations(const tarei_graph *const graph, const tarei_node *const node,
                                   const int64_t *const symbols) {
  const double products = tarei_operations_by_weights(graph, node, symbols);
  return tarei_conv_fourier_serves(node) ? products * tarei_conv_fourier_share(graph, node)
                                         : products;
}

static const char *conv_last_kernel(const tarei_step *const step, const tarei_kernels *const k) {
  const conv_last_state *const s = step->state;
  return s->winograd                       ? k->winograd_out_name
         : s->fourier                      ? k->fourier_name
         : !s->depthwise                   ? tarei_float_weights_kernel(&s->weights, k)
         : tarei_conv_has_planes(&s->conv) ? k->dw_planes_f32_name
                                           : k->dw_conv_f32_name;
}

const tarei_lowering tarei_lower_conv_last = {.state_bytes = sizeof(conv_last_state),
                                              .prepare = conv_last_prepare,
                                              .scratch = conv_last_scratch,
                                              .run = conv_last_run,
                                              .operations = conv_last_operations,
                                              .row = conv_last_row,
                                              .weight_scales = conv_last_weight_scales,
                                              .kernel = conv_last_kernel,
                                              .packs = 1u << 1 /* weights */};
