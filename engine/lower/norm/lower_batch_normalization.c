/*
 * BatchNormalization: one factor and one offset per channel, from given statistics, or in training
 * mode from those of the batch. Floats are computed in float, around the mean.
 */
#include <math.h>

#include "base/mem.h"
#include "engine/lower/operands.h"
#include "engine/threads.h"
#include "shapes/number.h"

enum { X, SCALE, SHIFT, MEAN, VARIANCE, INPUTS };

/* Types that the arithmetic knows. */
static bool batch_normalization_is_known(const tare_dtype dtype) {
  return dtype == TARE_F32 || dtype == TARE_F64;
}

static tare_status batch_normalization_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                               tare_error *const err) {
  (void)blobs;
  for (int i = 0; i < INPUTS; i++) {
    const tare_dtype dtype = step->graph->values[step->node->in[i]].dtype;
    if (!batch_normalization_is_known(dtype)) {
      return tarei_refuse_dtype(dtype, err);
    }
  }
  return TARE_OK;
}

typedef struct batch_normalization_job {
  const tarei_run *run;
  size_t batch, channels, n; /* n: elements of a channel in a sample */
  double epsilon, momentum;
  float *centers, *factors, *offsets; /* [channels], for float32 */
} batch_normalization_job;

static size_t batch_normalization_scratch(const tarei_step *const step,
                                          const tare_tensor *const *const in,
                                          const tare_tensor *const *const out, const int threads) {
  (void)step;
  (void)out;
  (void)threads;
  return tarei_times(3 * sizeof(float), (size_t)tare_tensor_count(in[MEAN]));
}

typedef struct moments {
  double mean, variance;
} moments;

static void batch_normalization_put(const tare_tensor *const t, const size_t i, const double x) {
  if (t->dtype == TARE_F32) {
    ((float *)t->data)[i] = (float)x;
  } else {
    ((double *)t->data)[i] = x;
  }
}

/* The mean of a channel over the batch, then the mean square of the distances from it. */
static moments measure_channel(const batch_normalization_job *const j, const size_t c) {
  const tare_tensor *const x = j->run->in[X];
  const double count = (double)(j->batch * j->n);
  moments m = {0, 0};
  for (int round = 0; round < 2; round++) {
    double sum = 0;
    for (size_t b = 0; b < j->batch; b++) {
      for (size_t i = 0, at = (b * j->channels + c) * j->n; i < j->n; i++) {
        const double v = tarei_real_at(x, (int64_t)(at + i));
        sum += round ? (v - m.mean) * (v - m.mean) : v;
      }
    }
    *(round ? &m.variance : &m.mean) = sum / count;
  }
  return m;
}

static void update_running(const batch_normalization_job *const j, const size_t c, const int output,
                           const int input, const double now, const int n_out) {
  if (output < n_out && j->run->out[output]) {
    const double before = tarei_real_at(j->run->in[input], (int64_t)c);
    batch_normalization_put(j->run->out[output], c, before * j->momentum + now * (1 - j->momentum));
  }
}

static moments given_moments(const batch_normalization_job *const j, const size_t c) {
  return (moments){tarei_real_at(j->run->in[MEAN], (int64_t)c),
                   tarei_real_at(j->run->in[VARIANCE], (int64_t)c)};
}

static double factor_of_channel(const batch_normalization_job *const j, const size_t c,
                                const double variance) {
  return tarei_real_at(j->run->in[SCALE], (int64_t)c) / sqrt(variance + j->epsilon);
}

/* What rounding the mean leaves goes to the offset. */
static void set_channel(const batch_normalization_job *const j, const size_t c, const moments m) {
  const double factor = factor_of_channel(j, c, m.variance);
  j->centers[c] = (float)m.mean;
  j->factors[c] = (float)factor;
  j->offsets[c] = (float)(((double)j->centers[c] - m.mean) * factor +
                          tarei_real_at(j->run->in[SHIFT], (int64_t)c));
}

/* One channel of a sample; or all of them, where they have one element each. */
static void normalize_floats(const batch_normalization_job *const j, const size_t row,
                             const bool each) {
  const tarei_run *const r = j->run;
  const size_t n = each ? j->channels : j->n, c = each ? 0 : row % j->channels;
  const tarei_plane_scale scale = {j->centers + c, j->factors + c, j->offsets + c, each};
  r->kernels->plane_scale(&scale, (const float *)r->in[X]->data + row * n, n,
                          (float *)r->out[0]->data + row * n);
}

static void normalize_doubles(const batch_normalization_job *const j, const size_t row,
                              const moments m) {
  const tarei_run *const r = j->run;
  const size_t c = row % j->channels;
  const double factor = factor_of_channel(j, c, m.variance);
  const double shift = tarei_real_at(r->in[SHIFT], (int64_t)c);
  const double *const from = (const double *)r->in[X]->data + row * j->n;
  double *const to = (double *)r->out[0]->data + row * j->n;
  for (size_t i = 0; i < j->n; i++) {
    to[i] = (from[i] - m.mean) * factor + shift;
  }
}

static void double_range(const void *const user, const size_t first, const size_t end,
                         const int thread) {
  (void)thread;
  const batch_normalization_job *const j = user;
  for (size_t row = first; row < end; row++) {
    normalize_doubles(j, row, given_moments(j, row % j->channels));
  }
}

static void plane_range(const void *const user, const size_t first, const size_t end,
                        const int thread) {
  (void)thread;
  for (size_t row = first; row < end; row++) {
    normalize_floats(user, row, false);
  }
}

static void sample_range(const void *const user, const size_t first, const size_t end,
                         const int thread) {
  (void)thread;
  for (size_t row = first; row < end; row++) {
    normalize_floats(user, row, true);
  }
}

static void normalize_by_given(const batch_normalization_job *const j) {
  const size_t rows = j->batch * j->channels;
  if (j->run->in[X]->dtype == TARE_F64) {
    tarei_row_ranges(j->run, rows, j->n, 4096, double_range, j);
    return;
  }
  for (size_t c = 0; c < j->channels; c++) {
    set_channel(j, c, given_moments(j, c));
  }
  if (j->n == 1) {
    tarei_row_ranges(j->run, j->batch, j->channels, 4096, sample_range, j);
  } else {
    tarei_row_ranges(j->run, rows, j->n, 4096, plane_range, j);
  }
}

typedef struct training {
  batch_normalization_job job;
  int n_out;
} training;

static void channel_range(const void *const user, const size_t first, const size_t end,
                          const int thread) {
  (void)thread;
  const training *const t = user;
  const batch_normalization_job *const j = &t->job;
  for (size_t c = first; c < end; c++) {
    const moments m = measure_channel(j, c);
    const bool floats = j->run->in[X]->dtype == TARE_F32;
    if (floats) {
      set_channel(j, c, m);
    }
    for (size_t b = 0; b < j->batch; b++) {
      const size_t row = b * j->channels + c;
      floats ? normalize_floats(j, row, false) : normalize_doubles(j, row, m);
    }
    update_running(j, c, 1, MEAN, m.mean, t->n_out);
    update_running(j, c, 2, VARIANCE, m.variance, t->n_out);
  }
}

static tare_status batch_normalization_run(const tarei_step *const step, const tarei_run *const r,
                                           tare_error *const err) {
  const tare_tensor *const x = r->in[X];
  const tarei_node *const node = step->node;
  const bool by_element = node->opset < 9 && tarei_attr_int(node, "spatial", 1) == 0;
  const size_t batch = (size_t)x->dims[0], all = (size_t)tare_tensor_count(x);
  const size_t sample = batch ? all / batch : 0;
  const size_t channels = by_element ? sample : x->rank > 1 ? (size_t)x->dims[1] : 1;
  for (int i = SCALE; i < INPUTS; i++) {
    TAREI_TRY(tarei_want_count(step, r, i, (int64_t)channels, err));
  }
  if (all == 0) {
    return TARE_OK;
  }
  float *const arrays = r->scratch;
  const training t = {.job = {.run = r,
                              .batch = batch,
                              .channels = channels,
                              .n = sample / channels,
                              .epsilon = (double)tarei_attr_float(node, "epsilon", 1e-5f),
                              .momentum = (double)tarei_attr_float(node, "momentum", 0.9f),
                              .centers = arrays,
                              .factors = arrays + channels,
                              .offsets = arrays + 2 * channels},
                      .n_out = node->n_out};
  if (tarei_attr_int(node, "training_mode", 0) != 0) {
    tarei_row_ranges(r, channels, batch * t.job.n, 4096, channel_range, &t);
  } else {
    normalize_by_given(&t.job);
  }
  return TARE_OK;
}

const tarei_lowering tarei_lower_batch_normalization = {.prepare = batch_normalization_prepare,
                                                        .scratch = batch_normalization_scratch,
                                                        .run = batch_normalization_run};
