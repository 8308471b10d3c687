#include "engine/lower/products/elimination.h"

#include <math.h>

static void elimination_swap(double *const a, const size_t n, const size_t i, const size_t k) {
  for (size_t c = 0; i != k && c < n; c++) {
    const double kept = a[i * n + c];
    a[i * n + c] = a[k * n + c];
    a[k * n + c] = kept;
  }
}

/* Of rows `column` and below, the one with the largest element in this column; a NaN is larger than
 * any number. */
static size_t find_pivot(const double *const a, const size_t n, const size_t column) {
  size_t best = column;
  for (size_t r = column + 1; r < n; r++) {
    if (!(fabs(a[r * n + column]) <= fabs(a[best * n + column])) && !isnan(a[best * n + column])) {
      best = r;
    }
  }
  return best;
}

/* row -= factor * other, from column `first`. */
static void subtract_row(double *const row, const double *const other, const double factor,
                         const size_t first, const size_t n) {
  for (size_t c = first; c < n; c++) {
    row[c] -= factor * other[c];
  }
}

double tarei_determinant(double *const a, const size_t n) {
  double product = 1;
  for (size_t k = 0; k < n; k++) {
    const size_t pivot = find_pivot(a, n, k);
    elimination_swap(a, n, pivot, k);
    product *= pivot == k ? a[k * n + k] : -a[k * n + k];
    if (a[k * n + k] == 0) {
      return 0;
    }
    for (size_t r = k + 1; r < n; r++) {
      subtract_row(a + r * n, a + k * n, a[r * n + k] / a[k * n + k], k + 1, n);
    }
  }
  return product;
}

/* By cofactors, whose quotients by a determinant of 0 are infinite where they are not 0 themselves.
 */
static void invert_small(const double *const a, const size_t n, double *const out) {
  if (n == 1) {
    out[0] = 1 / a[0];
    return;
  }
  const double det = a[0] * a[3] - a[1] * a[2];
  out[0] = a[3] / det;
  out[1] = -a[1] / det;
  out[2] = -a[2] / det;
  out[3] = a[0] / det;
}

void tarei_invert(double *const a, const size_t n, double *const out) {
  if (n > 0 && n <= 2) {
    invert_small(a, n, out);
    return;
  }
  for (size_t i = 0; i < n * n; i++) {
    out[i] = i % (n + 1) == 0;
  }
  for (size_t k = 0; k < n; k++) {
    const size_t pivot = find_pivot(a, n, k);
    elimination_swap(a, n, pivot, k);
    elimination_swap(out, n, pivot, k);
    const double scale = 1 / a[k * n + k];
    for (size_t c = 0; c < n; c++) {
      a[k * n + c] *= scale;
      out[k * n + c] *= scale;
    }
    for (size_t r = 0; r < n; r++) {
      const double factor = a[r * n + k];
      if (r != k) {
        subtract_row(a + r * n, a + k * n, factor, k, n);
        subtract_row(out + r * n, out + k * n, factor, 0, n);
      }
    }
  }
}
