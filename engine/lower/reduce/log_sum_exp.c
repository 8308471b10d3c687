#include "engine/lower/reduce/log_sum_exp.h"

#include <math.h>

enum { BLOCK = 1024 }; /* exponentials that stay in the first cache */

/* The largest element of each output, which is taken out so that nothing overflows. */
static void log_sum_exp_tops(const tarei_kernels *const kernels, const tarei_reduction *const r,
                             const float *const x, const size_t lanes, const size_t step,
                             float *const tops) {
  kernels->reduce(TAREI_REDUCE_MAX, TARE_F32, TAREI_REDUCE_WHOLE, r, x, lanes, step, tops);
  for (size_t l = 0; l < lanes; l++) {
    tops[l] = isfinite(tops[l]) ? tops[l] : 0;
  }
}

static void exponentials(const tarei_kernels *const kernels, const float *const x,
                         const float *const top, const size_t top_step, const size_t n,
                         float *const out) {
  kernels->binary(TAREI_BINARY_SUB, x, 1, top, top_step, n, out);
  kernels->unary(TAREI_UNARY_exp, 0, 0, out, n, out);
}

/* The elements of an output lie side by side. */
static double sum_of_row(const tarei_kernels *const kernels, const tarei_reduction *const r,
                         const float *const x, const float top) {
  float block[BLOCK];
  double sum = 0;
  for (size_t row = 0; row < r->rows; row++) {
    const float *const from = x + tarei_reduction_row(r, row);
    for (size_t i = 0; i < r->n; i += BLOCK) {
      const size_t n = r->n - i < BLOCK ? r->n - i : BLOCK;
      const tarei_reduction some = {.n = n, .stride = 1, .rows = 1, .count = n};
      double part;
      exponentials(kernels, from + i, &top, 0, n, block);
      kernels->reduce(TAREI_REDUCE_SUM, TARE_F32, TAREI_REDUCE_FIRST, &some, block, 1, 1, &part);
      sum += part;
    }
  }
  return sum;
}

/* The elements of neighbouring outputs lie side by side. */
static void sum_columns(const tarei_kernels *const kernels, const tarei_reduction *const r,
                        const float *const x, const float *const tops, const size_t lanes,
                        double *const sums) {
  float line[TAREI_REDUCTION_LANES];
  for (size_t l = 0; l < lanes; l++) {
    sums[l] = 0;
  }
  for (size_t row = 0; row < r->rows; row++) {
    const float *from = x + tarei_reduction_row(r, row);
    for (size_t i = 0; i < r->n; i++, from += r->stride) {
      exponentials(kernels, from, tops, 1, lanes, line);
      for (size_t l = 0; l < lanes; l++) {
        sums[l] += (double)line[l];
      }
    }
  }
}

void tarei_log_sum_exp(const tarei_kernels *const kernels, const tarei_reduction *const r,
                       const float *const x, const size_t lanes, const size_t step,
                       float *const out) {
  float tops[TAREI_REDUCTION_LANES];
  double sums[TAREI_REDUCTION_LANES];
  log_sum_exp_tops(kernels, r, x, lanes, step, tops);
  if (r->stride != 1) {
    sum_columns(kernels, r, x, tops, lanes, sums);
  }
  for (size_t l = 0; l < lanes; l++) {
    const double sum = r->stride == 1 ? sum_of_row(kernels, r, x + l * step, tops[l]) : sums[l];
    out[l] = (float)((double)tops[l] + log(sum));
  }
}
