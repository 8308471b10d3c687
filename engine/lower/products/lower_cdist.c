/* CDist: sums of the squares of differences, not of products, which cancel where points are near.
 */
#include <math.h>
#include <string.h>

#include "engine/lower/operands.h"
#include "engine/threads.h"

#define LANES 16 /* sums side by side, of which compilers make vectors */

typedef struct cdist_job {
  const tarei_run *run;
  size_t columns, n; /* rows of the second matrix; elements of a row */
  bool root;
} cdist_job;

#define DISTANCE(name, type)                                                              \
  static type cdist_of_##name(const type *const a, const type *const b, const size_t n) { \
    type lanes[LANES] = {0};                                                              \
    size_t i = 0;                                                                         \
    for (; i + LANES <= n; i += LANES) {                                                  \
      for (size_t l = 0; l < LANES; l++) {                                                \
        const type d = a[i + l] - b[i + l];                                               \
        lanes[l] += d * d;                                                                \
      }                                                                                   \
    }                                                                                     \
    for (size_t l = 0; i < n; i++, l++) {                                                 \
      const type d = a[i] - b[i];                                                         \
      lanes[l] += d * d;                                                                  \
    }                                                                                     \
    for (size_t half = LANES / 2; half > 0; half /= 2) {                                  \
      for (size_t l = 0; l < half; l++) {                                                 \
        lanes[l] += lanes[l + half];                                                      \
      }                                                                                   \
    }                                                                                     \
    return lanes[0];                                                                      \
  }                                                                                       \
  static void cdist_row_##name(const cdist_job *const j, const size_t row) {              \
    const type *const a = (const type *)j->run->in[0]->data + row * j->n;                 \
    const type *const b = j->run->in[1]->data;                                            \
    type *const out = (type *)j->run->out[0]->data + row * j->columns;                    \
    for (size_t c = 0; c < j->columns; c++) {                                             \
      const type sum = cdist_of_##name(a, b + c * j->n, j->n);                            \
      out[c] = j->root ? (type)sqrt((double)sum) : sum;                                   \
    }                                                                                     \
  }
DISTANCE(f32, float)
DISTANCE(f64, double)

static void cdist_range(const void *const user, const size_t first, const size_t end,
                        const int thread) {
  (void)thread;
  const cdist_job *const j = user;
  for (size_t row = first; row < end; row++) {
    if (j->run->in[0]->dtype == TARE_F32) {
      cdist_row_f32(j, row);
    } else {
      cdist_row_f64(j, row);
    }
  }
}

static tare_status cdist_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                 tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  return dtype == TARE_F32 || dtype == TARE_F64 ? TARE_OK : tarei_refuse_dtype(dtype, err);
}

static tare_status cdist_run(const tarei_step *const step, const tarei_run *const r,
                             tare_error *const err) {
  TAREI_TRY(tarei_want_dim(step, r, 1, 1, r->in[0]->dims[1], err));
  const cdist_job j = {
      .run = r,
      .columns = (size_t)r->in[1]->dims[0],
      .n = (size_t)r->in[0]->dims[1],
      .root = strcmp(tarei_attr_string(step->node, "metric", "sqeuclidean"), "euclidean") == 0};
  tarei_row_ranges(r, (size_t)r->in[0]->dims[0], j.columns * j.n + 1, 4096, cdist_range, &j);
  return TARE_OK;
}

const tarei_lowering tarei_lower_ms_cdist = {.prepare = cdist_prepare, .run = cdist_run};
