#include "calib/metrics/rows.h"

#include <math.h>

#include "shapes/number.h"

static int64_t clip(const int64_t extent, const int64_t dim) {
  return extent < 0 ? 0 : extent < dim ? extent : dim;
}

void tarei_rows_begin(const tare_tensor *const tensor, const int64_t *const extents,
                      tarei_rows *const rows) {
  *rows = (tarei_rows){.rank = tensor->rank, .length = 1};
  int64_t stride = 1;
  for (int a = tensor->rank - 1; a >= 0; a--) {
    rows->extents[a] = clip(extents[a], tensor->dims[a]);
    rows->strides[a] = stride;
    stride *= tensor->dims[a];
    rows->empty = rows->empty || rows->extents[a] == 0;
  }
  if (tensor->rank > 0) {
    rows->length = rows->extents[tensor->rank - 1];
  }
}

static bool advance(tarei_rows *const rows) {
  for (int a = rows->rank - 2; a >= 0; a--) {
    if (++rows->index[a] < rows->extents[a]) {
      return true;
    }
    rows->index[a] = 0;
  }
  return false;
}

bool tarei_rows_next(tarei_rows *const rows, int64_t *const offset) {
  if (rows->empty || (rows->started && !advance(rows))) {
    rows->empty = true;
    return false;
  }
  rows->started = true;
  *offset = 0;
  for (int a = 0; a < rows->rank - 1; a++) {
    *offset += rows->index[a] * rows->strides[a];
  }
  return true;
}

/* The same of float32, in lanes. */
static int64_t rows_argmax_single(const float *const x, const int64_t n) {
  enum { LANES = 16 };
  float most[LANES];
  int64_t i = 0;
  for (int k = 0; k < LANES; k++) {
    most[k] = -INFINITY;
  }
  for (; i + LANES <= n; i += LANES) {
    for (int k = 0; k < LANES; k++) {
      most[k] = x[i + k] > most[k] ? x[i + k] : most[k]; /* not with NaN */
    }
  }
  for (; i < n; i++) {
    most[0] = x[i] > most[0] ? x[i] : most[0];
  }
  for (int k = 1; k < LANES; k++) {
    most[0] = most[k] > most[0] ? most[k] : most[0];
  }
  for (i = 0; i < n && x[i] != most[0]; i++) {
  }
  return most[0] > -INFINITY ? i : 0;
}

int64_t tarei_argmax(const tare_tensor *const values, const int64_t offset, const int64_t n) {
  if (values->dtype == TARE_F32) {
    return rows_argmax_single((const float *)values->data + offset, n);
  }
  int64_t best = 0;
  double best_value = -INFINITY;
  for (int64_t i = 0; i < n; i++) {
    const double value = tarei_real_at(values, offset + i);
    if (value > best_value) {
      best_value = value;
      best = i;
    }
  }
  return best;
}

bool tarei_is_among(const tare_tensor *const values, const int64_t offset, const int64_t n,
                    const int64_t index, const int64_t k) {
  const double own = tarei_real_at(values, offset + index);
  int64_t before = 0;
  for (int64_t i = 0; i < n && before < k; i++) {
    const double value = tarei_real_at(values, offset + i);
    before += value > own || (value == own && i < index);
  }
  return before < k && !isnan(own);
}

void tarei_rows_read(const tare_tensor *const tensor, const int64_t *const extents,
                     tarei_str *const out) {
  enum { MOST = 32 };
  tarei_rows rows;
  int n = 0;
  tarei_rows_begin(tensor, extents, &rows);
  for (int64_t offset = 0; n <= MOST && tarei_rows_next(&rows, &offset); n++) {
    if (n < MOST) {
      tarei_str_add(out, "%s%lld", n ? " " : "",
                    (long long)tarei_argmax(tensor, offset, rows.length));
    }
  }
  tarei_str_add(out, "%s", n > MOST ? " ..." : "");
}
