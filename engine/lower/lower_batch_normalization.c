/* BatchNormalization of inference: one factor and one offset per channel. */
#include <math.h>

#include "engine/lower/operands.h"
#include "engine/threads.h"

static tare_status prepare(tarei_step *const step, tarei_blobs *const blobs,
                           tare_error *const err) {
  (void)blobs;
  for (int i = 0; i < 5; i++) {
    TARE_TRY(tarei_want_float(step, i, err));
  }
  return TARE_OK;
}

typedef struct job {
  const tarei_run *run;
  size_t n, channels;
  double epsilon;
} job;

static void row_range(const void *const user, const size_t first, const size_t end,
                      const int thread) {
  (void)thread;
  const job *const j = user;
  const tarei_run *const r = j->run;
  const float *const scale = r->in[1]->data, *const bias = r->in[2]->data;
  const float *const mean = r->in[3]->data, *const variance = r->in[4]->data;
  for (size_t row = first; row < end; row++) {
    const size_t c = row % j->channels;
    const double factor = (double)scale[c] / sqrt((double)variance[c] + j->epsilon);
    const float *const from = (const float *)r->in[0]->data + row * j->n;
    float *const to = (float *)r->out[0]->data + row * j->n;
    for (size_t i = 0; i < j->n; i++) {
      to[i] = (float)(((double)from[i] - (double)mean[c]) * factor + (double)bias[c]);
    }
  }
}

static tare_status run(const tarei_step *const step, const tarei_run *const r,
                       tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  for (int i = 1; i < 5; i++) {
    TARE_TRY(tarei_want_count(step, r, i, x->dims[1], err));
  }
  const size_t channels = (size_t)x->dims[1], rows = (size_t)x->dims[0] * channels;
  const job j = {.run = r,
                 .n = rows ? (size_t)tare_tensor_count(x) / rows : 0,
                 .channels = channels,
                 .epsilon = (double)tarei_attr_float(step->node, "epsilon", 1e-5f)};
  tarei_row_ranges(r, rows, j.n, 4096, row_range, &j);
  return TARE_OK;
}

const tarei_lowering tarei_lower_batch_normalization = {.prepare = prepare, .run = run};
