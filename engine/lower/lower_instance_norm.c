/* InstanceNormalization: each channel of each sample over its own space. Sums run in double, in the
 * order of the elements, so that threads do not matter. */
#include <math.h>

#include "engine/lower/operands.h"
#include "engine/threads.h"

#define LANES 16 /* channels that are summed side by side, channels-last */

static tare_status prepare(tarei_step *const step, tarei_blobs *const blobs,
                           tare_error *const err) {
  (void)blobs;
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

/* Scale and shift of one channel from the sum and the sum of squared differences. */
typedef struct affine {
  float factor, offset;
} affine;

static affine affine_of(const double mean, const double squares, const size_t n,
                        const float epsilon, const float scale, const float bias) {
  const double inv = 1.0 / sqrt(squares / (double)n + (double)epsilon);
  const double factor = inv * (double)scale;
  return (affine){(float)factor, (float)((double)bias - mean * factor)};
}

static void plain_channel(const float *const x, const size_t n, const float epsilon,
                          const float scale, const float bias, float *const out) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < n; i++) {
    sum += (double)x[i];
  }
  const double mean = sum / (double)n;
  for (size_t i = 0; i < n; i++) {
    const double d = (double)x[i] - mean;
    squares += d * d;
  }
  const affine a = affine_of(mean, squares, n, epsilon, scale, bias);
  for (size_t i = 0; i < n; i++) {
    out[i] = x[i] * a.factor + a.offset;
  }
}

static size_t count_space(const tare_tensor *const x, const int first) {
  size_t n = 1;
  for (int d = first; d < first + x->rank - 2; d++) {
    n *= (size_t)x->dims[d];
  }
  return n;
}

typedef struct job {
  const tarei_run *run;
  size_t n, channels, blocks; /* elements of a channel; blocks of LANES channels */
  float epsilon;
} job;

static void plain_range(const void *const user, const size_t first, const size_t end,
                        const int thread) {
  (void)thread;
  const job *const j = user;
  const tarei_run *const r = j->run;
  for (size_t i = first; i < end; i++) {
    const size_t c = i % j->channels;
    plain_channel((const float *)r->in[0]->data + i * j->n, j->n, j->epsilon,
                  ((const float *)r->in[1]->data)[c], ((const float *)r->in[2]->data)[c],
                  (float *)r->out[0]->data + i * j->n);
  }
}

static tare_status run_plain(const tarei_step *const step, const tarei_run *const r,
                             tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  const size_t channels = (size_t)x->dims[1], n = count_space(x, 2);
  TARE_TRY(check_vectors(step, r, channels, err));
  const job j = {.run = r,
                 .n = n,
                 .channels = channels,
                 .epsilon = tarei_attr_float(step->node, "epsilon", 1e-5f)};
  tarei_row_ranges(r, (size_t)x->dims[0] * channels, n, 4096, plain_range, &j);
  return TARE_OK;
}

/* Channels [c, c + lanes) of one sample whose elements lie `channels` floats apart. */
static void last_channels(const float *const x, const size_t n, const size_t channels,
                          const size_t lanes, const float epsilon, const float *const scale,
                          const float *const bias, float *const out) {
  double mean[LANES] = {0}, squares[LANES] = {0};
  for (size_t i = 0; i < n; i++) {
    for (size_t l = 0; l < lanes; l++) {
      mean[l] += (double)x[i * channels + l];
    }
  }
  for (size_t l = 0; l < lanes; l++) {
    mean[l] /= (double)n;
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t l = 0; l < lanes; l++) {
      const double d = (double)x[i * channels + l] - mean[l];
      squares[l] += d * d;
    }
  }
  affine a[LANES];
  for (size_t l = 0; l < lanes; l++) {
    a[l] = affine_of(mean[l], squares[l], n, epsilon, scale[l], bias[l]);
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t l = 0; l < lanes; l++) {
      out[i * channels + l] = x[i * channels + l] * a[l].factor + a[l].offset;
    }
  }
}

static void last_range(const void *const user, const size_t first, const size_t end,
                       const int thread) {
  (void)thread;
  const job *const j = user;
  const tarei_run *const r = j->run;
  for (size_t i = first; i < end; i++) {
    const size_t c = i % j->blocks * LANES, at = i / j->blocks * j->n * j->channels + c;
    last_channels((const float *)r->in[0]->data + at, j->n, j->channels,
                  j->channels - c < LANES ? j->channels - c : LANES, j->epsilon,
                  (const float *)r->in[1]->data + c, (const float *)r->in[2]->data + c,
                  (float *)r->out[0]->data + at);
  }
}

static tare_status run_last(const tarei_step *const step, const tarei_run *const r,
                            tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  const size_t channels = (size_t)x->dims[x->rank - 1], n = count_space(x, 1);
  TARE_TRY(check_vectors(step, r, channels, err));
  const job j = {.run = r,
                 .n = n,
                 .channels = channels,
                 .blocks = (channels + LANES - 1) / LANES,
                 .epsilon = tarei_attr_float(step->node, "epsilon", 1e-5f)};
  tarei_row_ranges(r, (size_t)x->dims[0] * j.blocks, n * LANES, 4096, last_range, &j);
  return TARE_OK;
}

const tarei_lowering tarei_lower_instance_normalization = {.prepare = prepare, .run = run_plain};
const tarei_lowering tarei_lower_instance_norm_last = {.prepare = prepare, .run = run_last};
