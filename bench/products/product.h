/* An int8 product with requantization to bytes, as the kernels are called, with made-up operands.
 */
#ifndef TAREI_BENCH_PRODUCTS_PRODUCT_H
#define TAREI_BENCH_PRODUCTS_PRODUCT_H

#include "bench/measure.h"
#include "kernels/kernels.h"

/* K and N of the products of common networks. */
#define BENCH_PRODUCT_SIZES 8
extern const size_t bench_product_sizes[BENCH_PRODUCT_SIZES][2];

/* All that a product reads and writes. */
typedef struct bench_operands {
  uint8_t *a, *out;
  int8_t *w, *packed;
  int32_t *add;
  float *mult, *bias;
  float *row_mult; /* [m] */
} bench_operands;

bench_operands bench_operands_new(size_t m, size_t k, size_t n);
void bench_operands_free(bench_operands *o);

typedef struct bench_product {
  tarei_i8_gemm_fn *run;
  tarei_i8_gemm gemm;
} bench_product;

/* Columns [from, to); `from` begins a panel. */
bench_product bench_product_of(const tarei_kernels *kernels, const bench_operands *o, size_t m,
                               size_t k, size_t n, size_t from, size_t to);

/* The same with a scale for each row, which keeps the bias out of the sums. */
bench_product bench_product_by_rows(const bench_product *product, const bench_operands *o);

/* A bench_work_fn whose context is a bench_product. */
void bench_run_product(void *product);

#endif
