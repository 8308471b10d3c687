/*
 * InstanceNormalization: each channel of each sample over its own space.
 *
 * Channels-last, rows of all channels are read once for the sums and once to be normalized. Sums run
 * in double over segments of fixed length, whose sums are added in their order, so that threads do not
 * matter; what is summed is the distance from the first row, so that a mean far from zero takes no
 * digits from the variance.
 */
#include <math.h>

#include "engine/lower/fused.h"
#include "engine/threads.h"

#define SEGMENT 128 /* rows that are summed in one go */

static tare_status want_floats(const tarei_step *const step, tare_error *const err) {
  for (int i = 0; i < 3; i++) {
    TARE_TRY(tarei_want_float(step, i, err));
  }
  return TARE_OK;
}

static tare_status check_vectors(const tarei_step *const step, const tarei_run *const r,
                                 const size_t channels, tare_error *const err) {
  TARE_TRY(tarei_want_count(step, r, 1, (int64_t)channels, err));
  return tarei_want_count(step, r, 2, (int64_t)channels, err);
}

static size_t count_space(const tare_tensor *const x, const int first) {
  size_t n = 1;
  for (int d = first; d < first + x->rank - 2; d++) {
    n *= (size_t)x->dims[d];
  }
  return n;
}

/* What a channel is multiplied by; the offset follows from it and the mean. */
static double factor_of(const double variance, const float epsilon, const float scale) {
  return 1.0 / sqrt(variance + (double)epsilon) * (double)scale;
}

/* --- channels first ------------------------------------------------------------------------------ */

typedef struct plain {
  const tarei_run *run;
  size_t n, channels;
  float epsilon;
} plain;

static void plain_channel(const plain *const p, const float *const x, const size_t channel,
                          float *const out) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < p->n; i++) {
    sum += (double)x[i];
  }
  const double mean = sum / (double)p->n;
  for (size_t i = 0; i < p->n; i++) {
    const double d = (double)x[i] - mean;
    squares += d * d;
  }
  const float *const scale = p->run->in[1]->data, *const bias = p->run->in[2]->data;
  const double factor = factor_of(squares / (double)p->n, p->epsilon, scale[channel]);
  const float a = (float)factor, b = (float)((double)bias[channel] - mean * factor);
  for (size_t i = 0; i < p->n; i++) {
    out[i] = x[i] * a + b;
  }
}

static void plain_range(const void *const user, const size_t first, const size_t end,
                        const int thread) {
  (void)thread;
  const plain *const p = user;
  for (size_t i = first; i < end; i++) {
    plain_channel(p, (const float *)p->run->in[0]->data + i * p->n, i % p->channels,
                  (float *)p->run->out[0]->data + i * p->n);
  }
}

static tare_status prepare_plain(tarei_step *const step, tarei_blobs *const blobs,
                                 tare_error *const err) {
  (void)blobs;
  return want_floats(step, err);
}

static tare_status run_plain(const tarei_step *const step, const tarei_run *const r,
                             tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  const plain p = {.run = r,
                   .n = count_space(x, 2),
                   .channels = (size_t)x->dims[1],
                   .epsilon = tarei_attr_float(step->node, "epsilon", 1e-5f)};
  TARE_TRY(check_vectors(step, r, p.channels, err));
  tarei_row_ranges(r, (size_t)x->dims[0] * p.channels, p.n, 4096, plain_range, &p);
  return TARE_OK;
}

/* --- channels last ------------------------------------------------------------------------------- */

typedef struct last {
  const tarei_run *run;
  size_t batch, n, channels, segments; /* segments of each sample */
  double *sums;                        /* [batch][segments][2][channels]: distances, their squares */
  float *factors, *offsets;            /* [batch][channels] */
  tarei_epilogue to;
} last;

static size_t segments_of(const size_t n) {
  return (n + SEGMENT - 1) / SEGMENT;
}

static last layout_of(const tare_tensor *const x, char *const scratch) {
  last l = {.batch = (size_t)x->dims[0],
            .n = count_space(x, 1),
            .channels = (size_t)x->dims[x->rank - 1]};
  l.segments = segments_of(l.n);
  const size_t sums = l.batch * l.segments * 2 * l.channels;
  l.sums = (double *)(void *)scratch;
  l.factors = (float *)(void *)(scratch + sums * sizeof(double));
  l.offsets = l.factors + l.batch * l.channels;
  return l;
}

static size_t scratch_last(const tarei_step *const step, const tare_tensor *const *const in,
                           const tare_tensor *const *const out, const int threads) {
  (void)step;
  (void)out;
  (void)threads;
  const last l = layout_of(in[0], NULL);
  return l.batch * l.channels * (l.segments * 2 * sizeof(double) + 2 * sizeof(float));
}

static void sum_segment(const last *const l, const size_t index) {
  const size_t sample = index / l->segments, first = index % l->segments * SEGMENT;
  const size_t end = first + SEGMENT < l->n ? first + SEGMENT : l->n;
  const float *const begin = (const float *)l->run->in[0]->data + sample * l->n * l->channels;
  double *const restrict sum = l->sums + index * 2 * l->channels;
  double *const restrict squares = sum + l->channels;
  for (size_t c = 0; c < 2 * l->channels; c++) {
    sum[c] = 0;
  }
  for (size_t i = first; i < end; i++) {
    const float *const x = begin + i * l->channels;
    for (size_t c = 0; c < l->channels; c++) {
      const double d = (double)x[c] - (double)begin[c];
      sum[c] += d;
      squares[c] += d * d;
    }
  }
}

static void sum_range(const void *const user, const size_t first, const size_t end,
                      const int thread) {
  (void)thread;
  for (size_t i = first; i < end; i++) {
    sum_segment(user, i);
  }
}

static void finish_sample(const last *const l, const size_t sample, const float epsilon) {
  double *const sum = l->sums + sample * l->segments * 2 * l->channels;
  for (size_t s = 1; s < l->segments; s++) {
    for (size_t c = 0; c < 2 * l->channels; c++) {
      sum[c] += sum[s * 2 * l->channels + c];
    }
  }
  const float *const begin = (const float *)l->run->in[0]->data + sample * l->n * l->channels;
  const float *const scale = l->run->in[1]->data, *const bias = l->run->in[2]->data;
  const double n = (double)l->n;
  for (size_t c = 0; c < l->channels; c++) {
    const double distance = sum[c] / n;
    const double variance = sum[l->channels + c] / n - distance * distance;
    const double factor = factor_of(variance > 0 ? variance : 0, epsilon, scale[c]);
    const double mean = (double)begin[c] + distance;
    l->factors[sample * l->channels + c] = (float)factor;
    l->offsets[sample * l->channels + c] = (float)((double)bias[c] - mean * factor);
  }
}

/* x * factor + offset, then the activation, is what a convolution of one tap computes. */
static void apply_range(const void *const user, const size_t first, const size_t end,
                        const int thread) {
  (void)thread;
  const last *const l = user;
  for (size_t row = first; row < end;) {
    const size_t sample = row / l->n, at = row % l->n;
    const size_t m = l->n - at < end - row ? l->n - at : end - row;
    tarei_dw_conv conv = {.x = (const float *)l->run->in[0]->data + sample * l->n * l->channels,
                          .ldx = l->channels,
                          .in_length = (int64_t)l->n,
                          .t0 = (int64_t)at,
                          .t1 = (int64_t)(at + m),
                          .kernel = 1,
                          .stride = 1,
                          .dilation = 1,
                          .channels = l->channels,
                          .w = l->factors + sample * l->channels,
                          .epilogue = tarei_epilogue_at(&l->to, row, 0)};
    conv.epilogue.bias = l->offsets + sample * l->channels;
    l->run->kernels->dw_conv_f32(&conv);
    row += m;
  }
}

static tare_status prepare_last(tarei_step *const step, tarei_blobs *const blobs,
                                tare_error *const err) {
  (void)blobs;
  TARE_TRY(want_floats(step, err));
  return tarei_fused_prepare(step, err);
}

static tare_status run_last(const tarei_step *const step, const tarei_run *const r,
                            tare_error *const err) {
  last l = layout_of(r->in[0], r->scratch);
  l.run = r;
  l.to = tarei_fused_epilogue(step->state, step, r, NULL, l.channels);
  TARE_TRY(check_vectors(step, r, l.channels, err));
  tarei_row_ranges(r, l.batch * l.segments, SEGMENT * l.channels, 4096, sum_range, &l);
  for (size_t sample = 0; l.n && sample < l.batch; sample++) {
    finish_sample(&l, sample, tarei_attr_float(step->node, "epsilon", 1e-5f));
  }
  tarei_row_ranges(r, l.batch * l.n, l.channels, 4096, apply_range, &l);
  return TARE_OK;
}

static const char *kernel_last(const tarei_step *const step, const tarei_kernels *const k) {
  (void)step;
  return k->dw_conv_f32_name;
}

const tarei_lowering tarei_lower_instance_normalization = {.prepare = prepare_plain,
                                                           .run = run_plain};
const tarei_lowering tarei_lower_instance_norm_last = {
    .prepare = prepare_last, .scratch = scratch_last, .run = run_last, .kernel = kernel_last};
