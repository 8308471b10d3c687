/* Linear layers with a scale for each row in turns with the same layers with static scales: the
 * product of bytes to bytes and to floats, and both steps of a layer that reads floats, which are
 * quantized first. */
#include "bench/products/row_products.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/products/product.h"

enum { TO_BYTES, TO_FLOATS, FROM_FLOATS, FORMS };

/* A product whose rows are floats before. */
typedef struct quantized_product {
  const tarei_kernels *kernels;
  const bench_product *product;
  const float *x;
  uint8_t *bytes;
  float *row_mult; /* NULL: one scale for all rows */
} quantized_product;

static void run_quantized_product(void *context) {
  const quantized_product *const q = context;
  const tarei_i8_gemm *const g = &q->product->gemm;
  if (q->row_mult) {
    q->kernels->quantize_rows(q->x, g->k, g->m, g->k, q->bytes, g->lda, q->row_mult, 128);
  } else {
    q->kernels->quantize(q->x, g->m * g->k, 127.0f, 128, q->bytes);
  }
  q->product->run(g);
}

static bench_product to_floats(const bench_product *product, float *out) {
  bench_product p = *product;
  p.gemm.epilogue.out_u8 = NULL;
  p.gemm.epilogue.out_f32 = out;
  p.gemm.epilogue.ld_f32 = p.gemm.n;
  return p;
}

static float *floats_new(size_t n) {
  float *const x = bench_allocate(n * sizeof *x);
  for (size_t i = 0; i < n; i++) {
    x[i] = (float)((int)(i * 37 % 255) - 127) / 127.0f;
  }
  return x;
}

/* The time with row scales over that with static ones, in each form. */
static void row_products_measure(const tarei_kernels *kernels, size_t m, size_t k, size_t n,
                                 double ratios[static FORMS]) {
  bench_operands o = bench_operands_new(m, k, n);
  float *const x = floats_new(m * k), *const out = floats_new(m * n);
  bench_product bytes = bench_product_of(kernels, &o, m, k, n, 0, n);
  bench_product bytes_rows = bench_product_by_rows(&bytes, &o);
  bench_product floats = to_floats(&bytes, out), floats_rows = to_floats(&bytes_rows, out);
  quantized_product one = {kernels, &bytes, x, o.a, NULL};
  quantized_product rows = {kernels, &bytes_rows, x, o.a, o.row_mult};
  measured_work works[2 * FORMS] = {{.run = bench_run_product, .context = &bytes},
                                    {.run = bench_run_product, .context = &bytes_rows},
                                    {.run = bench_run_product, .context = &floats},
                                    {.run = bench_run_product, .context = &floats_rows},
                                    {.run = run_quantized_product, .context = &one},
                                    {.run = run_quantized_product, .context = &rows}};
  bench_best_times(works, 2 * FORMS);
  for (int f = 0; f < FORMS; f++) {
    ratios[f] = works[2 * f + 1].best / works[2 * f].best;
  }
  free(x);
  free(out);
  bench_operands_free(&o);
}

static void row_products_print(const char *what, size_t m, const double ratios[static FORMS]) {
  printf("| %s | %zu | %.2f | %.2f | %.2f |\n", what, m, ratios[TO_BYTES], ratios[TO_FLOATS],
         ratios[FROM_FLOATS]);
  (void)fflush(stdout);
}

void bench_row_products(unsigned isa) {
  static const size_t rows[] = {64, 256, 512};
  double logs[sizeof rows / sizeof *rows][FORMS] = {{0}};
  tarei_kernels kernels;
  tarei_kernels_select(isa, &kernels);
  printf(
      "%s, row scales over static ones\n\n| K x N | M | bytes to bytes | bytes to floats | "
      "floats to bytes |\n|---|---|---|---|---|\n",
      kernels.i8_gemm_name);
  for (size_t s = 0; s < BENCH_PRODUCT_SIZES; s++) {
    const size_t k = bench_product_sizes[s][0], n = bench_product_sizes[s][1];
    char what[48];
    (void)snprintf(what, sizeof what, "%zux%zu", k, n);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
      double ratios[FORMS];
      row_products_measure(&kernels, rows[r], k, n, ratios);
      row_products_print(what, rows[r], ratios);
      for (int f = 0; f < FORMS; f++) {
        logs[r][f] += log(ratios[f]) / BENCH_PRODUCT_SIZES;
      }
    }
  }
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    const double means[FORMS] = {exp(logs[r][TO_BYTES]), exp(logs[r][TO_FLOATS]),
                                 exp(logs[r][FROM_FLOATS])};
    row_products_print("geometric mean", rows[r], means);
  }
}
