/* Bytes by table and rows to bytes, beside copying. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/kernels.h"
#include "bench/measure.h"
#include "bench/peak.h"

enum { MAX_BYTES = 4 << 20 };

typedef struct lookup {
  tarei_lut_u8_fn *run;
  const uint8_t *table, *x;
  uint8_t *out;
  size_t n;
} lookup;

static void run_lookup(void *context) {
  const lookup *const l = context;
  l->run(l->table, l->x, l->n, l->out);
}

static void bench_lookups(const tarei_kernels *kernels, char *memory) {
  static const size_t sizes[] = {768, 8192, 256 << 10, 2 << 20};
  uint8_t table[256];
  for (int i = 0; i < 256; i++) {
    table[i] = (uint8_t)(i * 7);
  }
  printf("\n%s\n%10s %12s %12s %7s\n", kernels->lut_u8_name, "bytes", "ns a byte", "copy", "%");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const size_t n = sizes[i];
    lookup l = {kernels->lut_u8, table, (const uint8_t *)memory, (uint8_t *)memory + n, n};
    bench_block copied = {memory, 2 * n};
    measured_work works[2] = {{.run = run_lookup, .context = &l},
                              {.run = bench_copy, .context = &copied}};
    bench_best_times(works, 2);
    printf("%10zu %12.4f %12.4f %7.0f\n", n, works[0].best / (double)n * 1e9,
           works[1].best / (double)n * 1e9, 100 * works[1].best / works[0].best);
  }
}

typedef struct kernels_bytes_rows {
  const tarei_kernels *kernels;
  const float *x;
  size_t ldx, m, k;
  uint8_t *out;
  float *scales;
  int32_t zero_point;
} kernels_bytes_rows;

static void kernels_bytes_run_rows(void *context) {
  const kernels_bytes_rows *const r = context;
  const tarei_window_rows w = {.x = r->x,
                               .ldx = r->ldx,
                               .m = r->m,
                               .parts = 1,
                               .part = r->k,
                               .out = r->out,
                               .ldo = r->k,
                               .scales = r->scales,
                               .zero_point = r->zero_point};
  if (r->ldx < r->k) {
    r->kernels->quantize_windows(&w);
  } else {
    r->kernels->quantize_rows(r->x, r->ldx, r->m, r->k, r->out, r->k, r->scales, r->zero_point);
  }
}

/* Copying moves as many bytes as the rows and their results have. */
static void kernels_bytes_bench_rows(const tarei_kernels *kernels, char *memory) {
  static const size_t cases[][3] = {{1000, 10, 5},   {100, 64, 64},     {100, 256, 256},
                                    {100, 768, 768}, {100, 1024, 1024}, {512, 768, 768},
                                    {100, 192, 64},  {100, 384, 128},   {100, 96, 32}};
  uint8_t *const out = bench_allocate(MAX_BYTES);
  float *const scales = bench_allocate(1000 * sizeof *scales);
  float *const x = (float *)(void *)memory;
  for (size_t i = 0; i < MAX_BYTES / sizeof *x; i++) {
    x[i] = (float)((int)(i * 2654435761u >> 8 & 0xffff) - 32768) * 1e-4f;
  }
  printf("\n%s\n%6s %6s %6s %14s %12s %12s\n", kernels->quantize_rows_name, "m", "k", "ldx",
         "ns an element", "from 0", "copy");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const size_t m = cases[i][0], k = cases[i][1], ldx = cases[i][2];
    kernels_bytes_rows r = {kernels, x, ldx, m, k, out, scales, 128}, from_zero = r;
    from_zero.zero_point = 0;
    bench_block copied = {memory, m * k * (sizeof *x + 1) / 1024 * 1024};
    measured_work works[3] = {{.run = kernels_bytes_run_rows, .context = &r},
                              {.run = kernels_bytes_run_rows, .context = &from_zero},
                              {.run = bench_copy, .context = &copied}};
    bench_best_times(works, 3);
    const double elements = (double)(m * k) * 1e-9;
    printf("%6zu %6zu %6zu %14.4f %12.4f %12.4f\n", m, k, ldx, works[0].best / elements,
           works[1].best / elements, works[2].best / elements);
  }
  free(out);
  free(scales);
}

void bench_bytes(const tarei_kernels *kernels, unsigned isa) {
  (void)isa;
  char *const memory = bench_allocate(MAX_BYTES + 4096);
  bench_lookups(kernels, memory);
  kernels_bytes_bench_rows(kernels, memory);
  free(memory);
}
