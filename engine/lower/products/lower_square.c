/* Det and Inverse: each thread takes whole matrices. */
#include <string.h>

#include "base/mem.h"
#include "engine/lower/operands.h"
#include "engine/lower/products/elimination.h"
#include "engine/threads.h"
#include "shapes/number.h"

typedef struct square_job {
  const tarei_run *run;
  size_t n;
} square_job;

static size_t square_bytes(const size_t n) {
  return tarei_times(tarei_times(2, tarei_times(n, n)), sizeof(double));
}

static size_t square_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                             const tare_tensor *const *const out, const int threads) {
  (void)step;
  (void)out;
  return tarei_times(square_bytes((size_t)in[0]->dims[in[0]->rank - 1]), (size_t)threads);
}

static double *read_square(const square_job *const j, const size_t i, const int thread) {
  double *const a = tarei_thread_scratch(j->run, thread, square_bytes(j->n));
  const size_t size = j->n * j->n;
  for (size_t k = 0; k < size; k++) {
    a[k] = tarei_real_at(j->run->in[0], (int64_t)(i * size + k));
  }
  return a;
}

static void det_range(const void *const user, const size_t first, const size_t end,
                      const int thread) {
  const square_job *const j = user;
  const tare_tensor *const out = j->run->out[0];
  for (size_t i = first; i < end; i++) {
    const double det = tarei_determinant(read_square(j, i, thread), j->n);
    tarei_write_number(out->dtype, det, (char *)out->data + i * tare_dtype_size(out->dtype));
  }
}

static void inverse_range(const void *const user, const size_t first, const size_t end,
                          const int thread) {
  const square_job *const j = user;
  const tare_tensor *const out = j->run->out[0];
  const size_t size = j->n * j->n;
  for (size_t i = first; i < end; i++) {
    double *const a = read_square(j, i, thread), *const inverse = a + size;
    tarei_invert(a, j->n, inverse);
    for (size_t k = 0; out->dtype == TARE_F32 && k < size; k++) {
      ((float *)out->data)[i * size + k] = (float)inverse[k];
    }
    if (out->dtype == TARE_F64) {
      memcpy((double *)out->data + i * size, inverse, size * sizeof *inverse);
    }
  }
}

static tare_status square_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                  tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  return dtype == TARE_F32 || dtype == TARE_F64 ? TARE_OK : tarei_refuse_dtype(dtype, err);
}

static tare_status square_run(const tarei_step *const step, const tarei_run *const r,
                              const tarei_range_fn range, tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  TAREI_TRY(tarei_want_dim(step, r, 0, x->rank - 2, x->dims[x->rank - 1], err));
  square_job j = {.run = r, .n = (size_t)x->dims[x->rank - 1]};
  size_t matrices = 1;
  for (int d = 0; d < x->rank - 2; d++) {
    matrices *= (size_t)x->dims[d];
  }
  tarei_row_ranges(r, matrices, j.n * j.n * j.n + 1, 4096, range, &j);
  return TARE_OK;
}

static tare_status det_run(const tarei_step *const step, const tarei_run *const r,
                           tare_error *const err) {
  return square_run(step, r, det_range, err);
}

static tare_status inverse_run(const tarei_step *const step, const tarei_run *const r,
                               tare_error *const err) {
  return square_run(step, r, inverse_range, err);
}

const tarei_lowering tarei_lower_det = {
    .prepare = square_prepare, .scratch = square_scratch, .run = det_run};
const tarei_lowering tarei_lower_ms_inverse = {
    .prepare = square_prepare, .scratch = square_scratch, .run = inverse_run};
