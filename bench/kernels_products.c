/* Matrix products by shape, as percentages of the peak measured right before each. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/kernels.h"
#include "bench/measure.h"
#include "bench/peak.h"

typedef struct product {
  const tarei_kernels *kernels;
  tarei_i8_gemm i8;
  tarei_f32_gemm f32;
} product;

static void run_i8(void *context) {
  product *const p = context;
  p->kernels->i8_gemm(&p->i8);
}

static void run_f32(void *context) {
  product *const p = context;
  p->kernels->f32_gemm(&p->f32);
}

static double time_i8(const tarei_kernels *kernels, size_t m, size_t k, size_t n) {
  uint8_t *const a = bench_allocate(m * k + 4);
  int8_t *const w = bench_allocate(k * n);
  int8_t *const packed = bench_allocate(tarei_i8_packed_size(k, n));
  int32_t *const add = bench_allocate((n + 31) / 32 * 32 * sizeof *add);
  float *const mult = bench_allocate(n * sizeof *mult);
  uint8_t *const out = bench_allocate(m * n);
  for (size_t i = 0; i < m * k; i++) {
    a[i] = (uint8_t)(i * 7);
  }
  for (size_t i = 0; i < k * n; i++) {
    w[i] = (int8_t)(i * 13);
  }
  for (size_t i = 0; i < n; i++) {
    mult[i] = 1e-4f;
  }
  tarei_i8_pack(w, n, false, k, n, packed, add);
  product p = {.kernels = kernels,
               .i8 = {.a = a, .lda = k, .m = m, .k = k, .n = n, .b = packed, .add = add,
                      .epilogue = {.mult = mult, .out_u8 = out, .ld_u8 = n, .inv_scale = 1.0f,
                                   .zero_point = 128}}};
  const double t = bench_best_time(run_i8, &p);
  free(a);
  free(w);
  free(packed);
  free(add);
  free(mult);
  free(out);
  return t;
}

static double time_f32(const tarei_kernels *kernels, size_t m, size_t k, size_t n) {
  float *const a = bench_allocate(m * k * sizeof *a);
  float *const w = bench_allocate(k * n * sizeof *w);
  float *const packed = bench_allocate(tarei_f32_packed_size(k, n));
  float *const out = bench_allocate(m * n * sizeof *out);
  kernels->f32_pack(w, n, false, k, n, packed);
  product p = {.kernels = kernels,
               .f32 = {.a = a, .lda = k, .m = m, .k = k, .n = n, .b = packed,
                       .epilogue = {.out_f32 = out, .ld_f32 = n}}};
  const double t = bench_best_time(run_f32, &p);
  free(a);
  free(w);
  free(packed);
  free(out);
  return t;
}

void bench_products(const tarei_kernels *kernels, unsigned isa, bool bytes) {
  static const size_t shapes[][2] = {{256, 256}, {256, 1024}, {1024, 256}, {768, 768}, {768, 3072}};
  static const size_t rows[] = {1, 16, 100, 512};
  printf("\n%s\n", bytes ? kernels->i8_gemm_name : kernels->f32_gemm_name);
  printf("%10s %5s %9s %7s\n", "K x N", "M", "GOP/s", "% peak");
  const char *name = "";
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
      const size_t m = rows[r], k = shapes[s][0], n = shapes[s][1];
      const double peak_now = bench_peak_rate(bytes, isa, &name);
      const double t = (bytes ? time_i8 : time_f32)(kernels, m, k, n);
      const double rate = 2.0 * (double)(m * k * n) / t;
      printf("%5zux%-4zu %5zu %9.1f %7.1f\n", k, n, m, rate * 1e-9,
             peak_now > 0 ? 100 * rate / peak_now : 0);
    }
  }
  printf("peak: %s, now %.1f GOP/s\n", name, bench_peak_rate(bytes, isa, &name) * 1e-9);
}
