/* Float products by shape, as percentages of the peak. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/kernels.h"
#include "bench/measure.h"
#include "bench/peak.h"

typedef struct kernels_f32_product {
  tarei_f32_gemm_fn *run;
  tarei_f32_gemm gemm;
} kernels_f32_product;

static void kernels_f32_run_product(void *context) {
  const kernels_f32_product *const p = context;
  p->run(&p->gemm);
}

static void kernels_f32_bench_product(const tarei_kernels *kernels, const bench_peak *peak,
                                      size_t m, size_t k, size_t n) {
  float *const a = bench_allocate(m * k * sizeof *a);
  float *const w = bench_allocate(k * n * sizeof *w);
  float *const packed = bench_allocate(tarei_f32_packed_size(k, n));
  float *const out = bench_allocate(m * n * sizeof *out);
  kernels->f32_pack(w, n, false, k, n, packed);
  kernels_f32_product p = {kernels->f32_gemm,
                           {.a = a,
                            .lda = k,
                            .m = m,
                            .k = k,
                            .n = n,
                            .b = packed,
                            .epilogue = {.out_f32 = out, .ld_f32 = n}}};
  measured_work works[2] = {{.run = kernels_f32_run_product, .context = &p},
                            {.run = peak ? peak->run : NULL}};
  bench_best_times(works, peak ? 2 : 1);
  const double rate = 2.0 * (double)(m * k * n) / works[0].best;
  printf("%5zux%-4zu %5zu %9.1f %7.1f\n", k, n, m, rate * 1e-9,
         peak ? 100 * rate * works[1].best / peak->operations : 0);
  free(a);
  free(w);
  free(packed);
  free(out);
}

void bench_products_f32(const tarei_kernels *kernels, unsigned isa) {
  static const size_t shapes[][2] = {{9, 8},      {9, 16},    {9, 32},    {24, 24},
                                     {64, 16},    {64, 64},   {256, 256}, {256, 1024},
                                     {1024, 256}, {768, 768}, {768, 3072}};
  static const size_t rows[] = {1, 16, 100, 512};
  const bench_peak *const peak = bench_peak_loop(false, isa);
  printf("\n%s against %s\n", kernels->f32_gemm_name, peak ? peak->name : "nothing");
  printf("%10s %5s %9s %7s\n", "K x N", "M", "GOP/s", "% peak");
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
      kernels_f32_bench_product(kernels, peak, rows[r], shapes[s][0], shapes[s][1]);
    }
  }
}
