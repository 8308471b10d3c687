/* Dot products of rows, sixteen at a time: each pair of rows is a lane. Instantiated once per ISA.
 */
#include "kernels/generic/v16.h"

enum { DOTS_STEPS = 8 }; /* elements of rows that are turned at a time */

TAREI_INLINE void dots_lanes(const tarei_dots *d, size_t first, size_t rows) {
  const float *a = d->a + first * d->lda, *b = d->b + first * d->ldb;
  v16 x[DOTS_STEPS], y[DOTS_STEPS], sum = v_set1(0);
  size_t k = 0;
  for (; k + DOTS_STEPS <= d->k; k += DOTS_STEPS) {
    v_load_columns(a + k, d->lda, rows, DOTS_STEPS, x);
    v_load_columns(b + k, d->ldb, rows, DOTS_STEPS, y);
#pragma GCC unroll 8
    for (size_t s = 0; s < DOTS_STEPS; s++) {
      sum = v_fma(x[s], y[s], sum);
    }
  }
  v_load_columns(a + k, d->lda, rows, d->k - k, x);
  v_load_columns(b + k, d->ldb, rows, d->k - k, y);
  for (size_t s = 0; s < d->k - k; s++) {
    sum = v_fma(x[s], y[s], sum);
  }
  v_store_n(d->out + first, sum, rows);
}

void TAREI_K(tarei_k_dots_f32_16)(const tarei_dots *dots) {
  const tarei_dots copy = *dots, *const d = &copy;
  size_t i = 0;
  for (; i + TAREI_LANES <= d->m; i += TAREI_LANES) {
    dots_lanes(d, i, TAREI_LANES);
  }
  if (i < d->m) {
    dots_lanes(d, i, d->m - i);
  }
}
