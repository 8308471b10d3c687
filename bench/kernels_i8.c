/* Int8 products with requantization to bytes, as percentages of the peak; one row of activations as
 * a percentage of reading the weights from where they lie. On two threads each has half of the
 * columns. "rows": the time with a scale for each row over that with one for all. Then windows of 3
 * by 3 that are read where they lie, of a line of outputs. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/kernels.h"
#include "bench/pair.h"
#include "bench/peak.h"
#include "bench/products/product.h"

static double kernels_i8_percent(double rate, const bench_peak *peak, int threads,
                                 const measured_work *loop) {
  return peak ? 100 * rate * loop->best / (peak->operations * threads) : 0;
}

/* Prints GOP/s and percent of peak of one thread, percent of peak of two. */
static void print_product(const tarei_kernels *kernels, const bench_peak *peak, bool pair, size_t m,
                          size_t k, size_t n) {
  bench_operands o = bench_operands_new(m, k, n);
  bench_product whole = bench_product_of(kernels, &o, m, k, n, 0, n);
  bench_block weights = {(char *)o.packed, tarei_i8_packed_size(k, n)};
  bench_product by_rows = bench_product_by_rows(&whole, &o);
  measured_work works[4] = {{.run = bench_run_product, .context = &whole},
                            {.run = bench_read, .context = &weights},
                            {.run = peak ? peak->run : bench_read, .context = &weights},
                            {.run = bench_run_product, .context = &by_rows}};
  bench_best_times(works, 4);
  const double operations = 2.0 * (double)(m * k * n);
  const double bytes = (double)weights.bytes * 1e-9;
  printf("%5zux%-4zu %5zu %9.1f %7.1f %5.2f", k, n, m, operations / works[0].best * 1e-9,
         kernels_i8_percent(operations / works[0].best, peak, 1, &works[2]),
         works[3].best / works[0].best);
  if (pair && bench_pair_start()) {
    bench_product left = bench_product_of(kernels, &o, m, k, n, 0, n / 2);
    bench_product right = bench_product_of(kernels, &o, m, k, n, n / 2, n);
    bench_pair halves = {{bench_run_product, bench_run_product}, {&left, &right}};
    bench_pair loops = {{works[2].run, works[2].run}, {&weights, &weights}};
    measured_work both[2] = {{.run = bench_pair_run, .context = &halves},
                             {.run = bench_pair_run, .context = &loops}};
    bench_best_times(both, 2);
    bench_pair_stop();
    printf(" %9.1f", kernels_i8_percent(operations / both[0].best, peak, 2, &both[1]));
  }
  if (m == 1) {
    printf("   %.1f of %.1f GB/s, %.0f %%", bytes / works[0].best, bytes / works[1].best,
           100 * works[1].best / works[0].best);
  }
  printf("\n");
  bench_operands_free(&o);
}

enum { LINE = 40, TAPS = 3, WINDOW_CALLS = 32 /* a run */ };

static void run_windows(void *context) {
  for (int i = 0; i < WINDOW_CALLS; i++) {
    bench_run_product(context);
  }
}

/* Windows of a line of outputs, of as many channels as there are outputs. */
static void print_windows(const tarei_kernels *kernels, const bench_peak *peak, size_t channels) {
  const size_t k = TAPS * TAPS * channels, width = LINE + TAPS - 1;
  bench_operands o = bench_operands_new(LINE, k, channels);
  bench_product windows = bench_product_of(kernels, &o, LINE, k, channels, 0, channels);
  uint8_t *const lines = bench_allocate(TAPS * width * channels + 4);
  windows.run = kernels->i8_windows;
  windows.gemm.a = lines;
  windows.gemm.lda = channels;
  windows.gemm.parts = TAPS;
  windows.gemm.part_step = width * channels;
  bench_block weights = {(char *)o.packed, tarei_i8_packed_size(k, channels)};
  measured_work works[2] = {{.run = run_windows, .context = &windows},
                            {.run = peak ? peak->run : bench_read, .context = &weights}};
  bench_best_times(works, 2);
  const double rate = 2.0 * LINE * (double)(k * channels) * WINDOW_CALLS / works[0].best;
  printf("%8zu %9.1f %7.1f\n", channels, rate * 1e-9, kernels_i8_percent(rate, peak, 1, &works[1]));
  free(lines);
  bench_operands_free(&o);
}

static void print_all_windows(const tarei_kernels *kernels, const bench_peak *peak) {
  static const size_t channels[] = {4, 8, 16, 24, 32, 40, 48, 64, 96};
  printf("\n%s against %s\n", kernels->i8_windows_name, peak ? peak->name : "nothing");
  printf("%8s %9s %7s\n", "channels", "GOP/s", "% peak");
  for (size_t i = 0; i < sizeof channels / sizeof *channels; i++) {
    print_windows(kernels, peak, channels[i]);
  }
}

void bench_products_i8(const tarei_kernels *kernels, unsigned isa) {
  static const size_t shapes[][2] = {{256, 256},  {256, 1024},  {1024, 256},
                                     {512, 2048}, {768, 768},   {768, 3072},
                                     {3072, 768}, {1024, 4096}, {4096, 1024}};
  static const size_t rows[] = {1, 16, 100, 256, 512};
  const bench_peak *const peak = bench_peak_loop(true, isa);
  printf("\n%s against %s\n", kernels->i8_gemm_name, peak ? peak->name : "nothing");
  printf("%10s %5s %9s %7s %5s %9s   %s\n", "K x N", "M", "GOP/s", "% peak", "rows", "% two",
         "weights read");
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
      print_product(kernels, peak, true, rows[r], shapes[s][0], shapes[s][1]);
    }
  }
  print_all_windows(kernels, peak);
}
