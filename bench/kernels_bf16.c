/* Products of bf16 by shape beside the same in float, without and with the conversion of the rows,
 * and packing. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/kernels.h"
#include "bench/measure.h"

typedef struct kernels_bf16_product {
  const tarei_kernels *kernels;
  const float *x, *w;
  uint16_t *a, *packed;
  tarei_bf16_gemm gemm;
  tarei_f32_gemm in_float;
} kernels_bf16_product;

static void kernels_bf16_run_product(void *context) {
  const kernels_bf16_product *const p = context;
  p->kernels->bf16_gemm(&p->gemm);
}

static void run_conversion(void *context) {
  const kernels_bf16_product *const p = context;
  const tarei_bf16_gemm *const g = &p->gemm;
  p->kernels->to_bf16(p->x, g->k, g->m, g->k, p->a, g->lda);
}

static void run_packing(void *context) {
  const kernels_bf16_product *const p = context;
  const tarei_bf16_gemm *const g = &p->gemm;
  p->kernels->bf16_pack(p->w, g->n, false, g->k, g->n, p->packed);
}

static void run_in_float(void *context) {
  const kernels_bf16_product *const p = context;
  p->kernels->f32_gemm(&p->in_float);
}

static void kernels_bf16_bench_product(const tarei_kernels *kernels, size_t m, size_t k, size_t n) {
  float *const x = bench_allocate(m * k * sizeof *x);
  float *const w = bench_allocate(k * n * sizeof *w);
  uint16_t *const a = bench_allocate(m * k * sizeof *a);
  uint16_t *const packed = bench_allocate(tarei_bf16_packed_size(k, n));
  float *const packed_f32 = bench_allocate(tarei_f32_packed_size(k, n));
  float *const out = bench_allocate(m * n * sizeof *out);
  kernels->bf16_pack(w, n, false, k, n, packed);
  const tarei_epilogue e = {.out_f32 = out, .ld_f32 = n};
  kernels_bf16_product p = {
      kernels,
      x,
      w,
      a,
      packed,
      {.a = a, .lda = k, .m = m, .k = k, .n = n, .b = packed, .epilogue = e},
      {.a = x, .lda = k, .m = m, .k = k, .n = n, .b = packed_f32, .epilogue = e}};
  measured_work works[4] = {{.run = kernels_bf16_run_product, .context = &p},
                            {.run = run_conversion, .context = &p},
                            {.run = run_in_float, .context = &p},
                            {.run = run_packing, .context = &p}};
  bench_best_times(works, 4);
  printf("%5zux%-4zu %5zu %9.1f %7.2f %15.2f %8.2f\n", k, n, m,
         2.0 * (double)(m * k * n) / works[0].best * 1e-9, works[2].best / works[0].best,
         works[2].best / (works[0].best + works[1].best), works[3].best * 1e3);
  free(x);
  free(w);
  free(a);
  free(packed);
  free(packed_f32);
  free(out);
}

void bench_products_bf16(const tarei_kernels *kernels, unsigned isa) {
  static const size_t shapes[][2] = {{256, 256},  {256, 1024}, {1024, 256}, {768, 768}, {768, 3072},
                                     {3072, 768}, {64, 512},   {512, 64}}; /* a head of attention */
  static const size_t rows[] = {1, 16, 100, 512};
  (void)isa;
  printf("\n%s beside %s\n", kernels->bf16_gemm_name, kernels->f32_gemm_name);
  printf("%10s %5s %9s %7s %15s %8s\n", "K x N", "M", "GOP/s", "x f32", "with conversion",
         "pack ms");
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
      kernels_bf16_bench_product(kernels, rows[r], shapes[s][0], shapes[s][1]);
    }
  }
}
