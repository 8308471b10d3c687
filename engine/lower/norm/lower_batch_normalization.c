/*
 * BatchNormalization: one factor and one offset per channel, from given statistics, or in training
 * mode from those of the batch.
 */
#include <math.h>

#include "engine/lower/operands.h"
#include "engine/threads.h"
#include "shapes/number.h"

enum { X, SCALE, SHIFT, MEAN, VARIANCE, INPUTS };

/* Types that the arithmetic knows; sums are in double. */
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
} batch_normalization_job;

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

#define NORMALIZE_ROW(type)                                             \
  do {                                                                  \
    const type *const from = (const type *)r->in[X]->data + row * j->n; \
    type *const to = (type *)r->out[0]->data + row * j->n;              \
    for (size_t i = 0; i < j->n; i++) {                                 \
      to[i] = (type)(((double)from[i] - m.mean) * factor + shift);      \
    }                                                                   \
  } while (0)

static void normalize_row(const batch_normalization_job *const j, const size_t row,
                          const moments m) {
  const tarei_run *const r = j->run;
  const size_t c = row % j->channels;
  const double factor = tarei_real_at(r->in[SCALE], (int64_t)c) / sqrt(m.variance + j->epsilon);
  const double shift = tarei_real_at(r->in[SHIFT], (int64_t)c);
  if (r->in[X]->dtype == TARE_F32) {
    NORMALIZE_ROW(float);
  } else {
    NORMALIZE_ROW(double);
  }
}

static void batch_normalization_row_range(const void *const user, const size_t first,
                                          const size_t end, const int thread) {
  (void)thread;
  const batch_normalization_job *const j = user;
  for (size_t row = first; row < end; row++) {
    const size_t c = row % j->channels;
    normalize_row(j, row,
                  (moments){tarei_real_at(j->run->in[MEAN], (int64_t)c),
                            tarei_real_at(j->run->in[VARIANCE], (int64_t)c)});
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
    for (size_t b = 0; b < j->batch; b++) {
      normalize_row(j, b * j->channels + c, m);
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
  const training t = {.job = {.run = r,
                              .batch = batch,
                              .channels = channels,
                              .n = sample / channels,
                              .epsilon = (double)tarei_attr_float(node, "epsilon", 1e-5f),
                              .momentum = (double)tarei_attr_float(node, "momentum", 0.9f)},
                      .n_out = node->n_out};
  if (tarei_attr_int(node, "training_mode", 0) != 0) {
    tarei_row_ranges(r, channels, batch * t.job.n, 4096, channel_range, &t);
  } else {
    tarei_row_ranges(r, batch * channels, t.job.n, 4096, batch_normalization_row_range, &t.job);
  }
  return TARE_OK;
}

const tarei_lowering tarei_lower_batch_normalization = {.prepare = batch_normalization_prepare,
                                                        .run = batch_normalization_run};
