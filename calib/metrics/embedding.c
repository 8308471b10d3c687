#include "calib/metrics/embedding.h"

#include <math.h>

#include "base/mem.h"
#include "calib/metrics/rows.h"
#include "shapes/number.h"

tare_status tarei_embedding_make(const tare_tensor *const output, const int64_t *const extents,
                                 double **const out, int64_t *const n, tare_error *const err) {
  tarei_rows rows;
  tarei_rows_begin(output, extents, &rows);
  double *const mean = tarei_calloc((size_t)rows.length, sizeof *mean);
  double n_rows = 0;
  if (!mean) {
    return tarei_fail_memory(err, "embedding", (size_t)rows.length * sizeof *mean);
  }
  for (int64_t offset = 0; tarei_rows_next(&rows, &offset); n_rows++) {
    for (int64_t i = 0; i < rows.length; i++) {
      mean[i] += tarei_real_at(output, offset + i);
    }
  }
  for (int64_t i = 0; i < rows.length && n_rows > 0; i++) {
    mean[i] /= n_rows;
  }
  *out = mean;
  *n = n_rows > 0 ? rows.length : 0;
  return TARE_OK;
}

double tarei_embedding_cosine(const double *const a, const double *const b, const int64_t n) {
  double aa = 0, bb = 0, ab = 0;
  for (int64_t i = 0; i < n; i++) {
    aa += a[i] * a[i];
    bb += b[i] * b[i];
    ab += a[i] * b[i];
  }
  const double norms = sqrt(aa) * sqrt(bb);
  return norms > 0 ? fmax(-1, fmin(1, ab / norms)) : NAN;
}
