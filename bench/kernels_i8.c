/* Int8 products with requantization to bytes, as percentages of the peak; one row of activations as
 * a percentage of reading the weights from where they lie. On two threads each has half of the
 * columns. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/kernels.h"
#include "bench/measure.h"
#include "bench/pair.h"
#include "bench/peak.h"

typedef struct product {
  tarei_i8_gemm_fn *run;
  tarei_i8_gemm gemm;
} product;

/* All that a product reads and writes. */
typedef struct operands {
  uint8_t *a, *out;
  int8_t *w, *packed;
  int32_t *add;
  float *mult;
} operands;

static void run_product(void *context) {
  const product *const p = context;
  p->run(&p->gemm);
}

static operands operands_new(size_t m, size_t k, size_t n) {
  const size_t padded = (n + TAREI_I8_PANEL - 1) / TAREI_I8_PANEL * TAREI_I8_PANEL;
  operands o = {.a = bench_allocate(m * k + 4),
                .out = bench_allocate(m * n),
                .w = bench_allocate(k * n),
                .packed = bench_allocate(tarei_i8_packed_size(k, n)),
                .add = bench_allocate(padded * sizeof *o.add),
                .mult = bench_allocate(n * sizeof *o.mult)};
  for (size_t i = 0; i < m * k; i++) {
    o.a[i] = (uint8_t)(i * 7);
  }
  for (size_t i = 0; i < k * n; i++) {
    o.w[i] = (int8_t)(i * 13);
  }
  for (size_t i = 0; i < n; i++) {
    o.mult[i] = 1e-4f;
  }
  tarei_i8_pack(o.w, n, false, k, n, o.packed, o.add);
  return o;
}

static void operands_free(operands *o) {
  free(o->a);
  free(o->out);
  free(o->w);
  free(o->packed);
  free(o->add);
  free(o->mult);
}

/* Columns [from, to); `from` begins a panel. */
static product product_of(const tarei_kernels *kernels, const operands *o, size_t m, size_t k,
                          size_t n, size_t from, size_t to) {
  return (product){kernels->i8_gemm,
                   {.a = o->a, .lda = k, .m = m, .k = k, .n = to - from,
                    .b = o->packed + tarei_i8_packed_size(k, from), .add = o->add + from,
                    .epilogue = {.mult = o->mult + from, .out_u8 = o->out + from, .ld_u8 = n,
                                 .inv_scale = 1.0f, .zero_point = 128}}};
}

static double percent(double rate, const bench_peak *peak, int threads, const bench_work *loop) {
  return peak ? 100 * rate * loop->best / (peak->operations * threads) : 0;
}

/* Prints GOP/s and percent of peak of one thread, percent of peak of two. */
static void bench_product(const tarei_kernels *kernels, const bench_peak *peak, bool pair, size_t m,
                          size_t k, size_t n) {
  operands o = operands_new(m, k, n);
  product whole = product_of(kernels, &o, m, k, n, 0, n);
  bench_block weights = {(char *)o.packed, tarei_i8_packed_size(k, n)};
  bench_work works[3] = {{.run = run_product, .context = &whole},
                         {.run = bench_read, .context = &weights},
                         {.run = peak ? peak->run : bench_read, .context = &weights}};
  bench_best_times(works, 3);
  const double operations = 2.0 * (double)(m * k * n);
  const double bytes = (double)weights.bytes * 1e-9;
  printf("%5zux%-4zu %5zu %9.1f %7.1f", k, n, m, operations / works[0].best * 1e-9,
         percent(operations / works[0].best, peak, 1, &works[2]));
  if (pair && bench_pair_start()) {
    product left = product_of(kernels, &o, m, k, n, 0, n / 2);
    product right = product_of(kernels, &o, m, k, n, n / 2, n);
    bench_pair halves = {{run_product, run_product}, {&left, &right}};
    bench_pair loops = {{works[2].run, works[2].run}, {&weights, &weights}};
    bench_work both[2] = {{.run = bench_pair_run, .context = &halves},
                          {.run = bench_pair_run, .context = &loops}};
    bench_best_times(both, 2);
    bench_pair_stop();
    printf(" %9.1f", percent(operations / both[0].best, peak, 2, &both[1]));
  }
  if (m == 1) {
    printf("   %.1f of %.1f GB/s, %.0f %%", bytes / works[0].best, bytes / works[1].best,
           100 * works[1].best / works[0].best);
  }
  printf("\n");
  operands_free(&o);
}

void bench_products_i8(const tarei_kernels *kernels, unsigned isa) {
  static const size_t shapes[][2] = {{256, 256},  {256, 1024}, {1024, 256},  {512, 2048}, {768, 768},
                                     {768, 3072}, {3072, 768}, {1024, 4096}, {4096, 1024}};
  static const size_t rows[] = {1, 16, 100, 256, 512};
  const bench_peak *const peak = bench_peak_loop(true, isa);
  printf("\n%s against %s\n", kernels->i8_gemm_name, peak ? peak->name : "nothing");
  printf("%10s %5s %9s %7s %9s   %s\n", "K x N", "M", "GOP/s", "% peak", "% two", "weights read");
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
      bench_product(kernels, peak, true, rows[r], shapes[s][0], shapes[s][1]);
    }
  }
}
