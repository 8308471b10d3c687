/* Products of 16-bit activations by shape beside those of int8, which write the same: bytes, then
 * floats, without and with the quantization of the rows. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/kernels.h"
#include "bench/products/product.h"

typedef struct kernels_i16_product {
  const tarei_kernels *kernels;
  tarei_i8_gemm gemm;
  float *sums;
  tarei_i16_rows rows;
} kernels_i16_product;

static void kernels_i16_run_product(void *context) {
  const kernels_i16_product *const p = context;
  tarei_i16_gemm(p->kernels, &p->gemm, p->rows.lower, p->sums);
}

static void run_quantization(void *context) {
  const kernels_i16_product *const p = context;
  p->kernels->quantize_i16(&p->rows);
}

static void kernels_i16_bench_product(const tarei_kernels *kernels, size_t m, size_t k, size_t n) {
  bench_operands o = bench_operands_new(m, k, n);
  bench_product bytes = bench_product_of(kernels, &o, m, k, n, 0, n);
  kernels_i16_product p = {.kernels = kernels,
                           .gemm = bytes.gemm,
                           .sums = bench_allocate(TAREI_I16_SUMS * sizeof *p.sums),
                           .rows = {.x = bench_allocate(m * k * sizeof(float)),
                                    .ldx = k,
                                    .m = m,
                                    .k = k,
                                    .upper = o.a,
                                    .lower = bench_allocate(m * k + 4),
                                    .ldo = k,
                                    .scales = bench_allocate(m * sizeof(float))}};
  kernels_i16_product to_floats = p;
  bench_product floats = bytes;
  float *const out = bench_allocate(m * n * sizeof *out);
  floats.gemm.epilogue = to_floats.gemm.epilogue =
      (tarei_epilogue){.mult = o.mult, .row_mult = p.rows.scales, .out_f32 = out, .ld_f32 = n};
  measured_work works[5] = {{.run = kernels_i16_run_product, .context = &p},
                            {.run = bench_run_product, .context = &bytes},
                            {.run = kernels_i16_run_product, .context = &to_floats},
                            {.run = bench_run_product, .context = &floats},
                            {.run = run_quantization, .context = &p}};
  bench_best_times(works, 5);
  printf("%5zux%-4zu %5zu %9.1f %9.1f %9.1f %15.1f\n", k, n, m,
         2.0 * (double)(m * k * n) / works[0].best * 1e-9, 100 * works[1].best / works[0].best,
         100 * works[3].best / works[2].best,
         100 * works[3].best / (works[2].best + works[4].best));
  free(p.sums);
  free((void *)p.rows.x);
  free(p.rows.lower);
  free(p.rows.scales);
  free(out);
  bench_operands_free(&o);
}

void bench_products_i16(const tarei_kernels *kernels, unsigned isa) {
  static const size_t shapes[][2] = {{768, 768}, {768, 3072}, {3072, 768}};
  static const size_t rows[] = {16, 64, 100, 256, 512};
  (void)isa;
  printf("\n16-bit activations by %s, %% of its speed\n", kernels->i8_gemm_name);
  printf("%10s %5s %9s %9s %9s %15s\n", "K x N", "M", "GOP/s", "% bytes", "% floats",
         "with quantizing");
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
      kernels_i16_bench_product(kernels, rows[r], shapes[s][0], shapes[s][1]);
    }
  }
}
