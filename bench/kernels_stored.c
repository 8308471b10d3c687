/* Products of floats by weights that are stored as bytes, beside those by floats, which come from
 * memory beyond the second-level cache if `cold`. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/kernels.h"
#include "bench/measure.h"
#include "bench/peak.h"

enum { WEIGHT_BLOCK = 64 };
#define COLD_BYTES ((size_t)16 << 20) /* weights used in turns */

typedef struct kernels_stored_product {
  const tarei_kernels *kernels;
  size_t m, k, n, copies, turn;
  float *x, *w, *scale, *widened, *out;
  int8_t *bytes;
  uint16_t *pieces, *panel;
} kernels_stored_product;

static tarei_epilogue stored_epilogue(const kernels_stored_product *p) {
  return (tarei_epilogue){.out_f32 = p->out, .ld_f32 = p->n};
}

static size_t next_weights(kernels_stored_product *p) {
  p->turn = (p->turn + 1) % p->copies;
  return p->turn * p->k * p->n;
}

static void stored_run_float(void *context) {
  kernels_stored_product *const p = context;
  const tarei_f32_gemm g = {.a = p->x,
                            .lda = p->k,
                            .m = p->m,
                            .k = p->k,
                            .n = p->n,
                            .b = p->w + next_weights(p),
                            .epilogue = stored_epilogue(p)};
  p->kernels->f32_gemm(&g);
}

static void stored_run_thin(void *context) {
  kernels_stored_product *const p = context;
  const tarei_thin_gemm g = {.a = p->x,
                             .lda = p->k,
                             .m = p->m,
                             .k = p->k,
                             .n = p->n,
                             .b = p->bytes + next_weights(p),
                             .scale = p->scale,
                             .ld_scale = p->n,
                             .block = WEIGHT_BLOCK,
                             .epilogue = stored_epilogue(p)};
  p->kernels->thin_i8(&g);
}

static void stored_run_widened(void *context) {
  kernels_stored_product *const p = context;
  const int8_t *const b = p->bytes + next_weights(p);
  for (size_t n = 0; n < p->n; n += TAREI_F32_PANEL) {
    for (size_t k = 0; k < p->k; k += WEIGHT_BLOCK) {
      const size_t steps = p->k - k < WEIGHT_BLOCK ? p->k - k : WEIGHT_BLOCK;
      p->kernels->widen_i8(b + n * p->k + k * TAREI_F32_PANEL, steps, p->scale + n,
                           p->widened + k * TAREI_F32_PANEL);
    }
    tarei_epilogue e = stored_epilogue(p);
    e.out_f32 += n;
    const tarei_f32_gemm g = {.a = p->x,
                              .lda = p->k,
                              .m = p->m,
                              .k = p->k,
                              .n = TAREI_F32_PANEL,
                              .b = p->widened,
                              .epilogue = e};
    p->kernels->f32_gemm(&g);
  }
}

static void stored_run_split(void *context) {
  kernels_stored_product *const p = context;
  const tarei_split_rows rows = {p->x, p->k, p->m, p->k, p->pieces, tarei_split_height(p->m)};
  const tarei_split_gemm g = {.a = p->pieces,
                              .height = rows.height,
                              .m = p->kernels->split_rows(&rows),
                              .k = p->k,
                              .n = p->n,
                              .b = p->bytes + next_weights(p),
                              .scale = p->scale,
                              .ld_scale = p->n,
                              .block = WEIGHT_BLOCK,
                              .widened = p->panel,
                              .epilogue = stored_epilogue(p)};
  p->kernels->split_i8(&g);
}

/* n is a multiple of the panels. */
static kernels_stored_product stored_product(const tarei_kernels *kernels, size_t m, size_t k,
                                             size_t n, bool cold) {
  const size_t copies = cold ? COLD_BYTES / (k * n) + 1 : 1;
  return (kernels_stored_product){
      .kernels = kernels,
      .m = m,
      .k = k,
      .n = n,
      .copies = copies,
      .x = bench_allocate(m * k * sizeof(float)),
      .w = bench_allocate(copies * tarei_f32_packed_size(k, n)),
      .scale = bench_allocate((k / WEIGHT_BLOCK + 1) * n * sizeof(float)),
      .widened = bench_allocate(tarei_f32_packed_size(k, TAREI_F32_PANEL)),
      .out = bench_allocate(m * n * sizeof(float)),
      .bytes = bench_allocate(copies * k * n),
      .pieces = bench_allocate(tarei_split_rows_size(m, k)),
      .panel = bench_allocate(tarei_split_panel_size(k))};
}

static void stored_product_free(kernels_stored_product *p) {
  free(p->x);
  free(p->w);
  free(p->scale);
  free(p->widened);
  free(p->out);
  free(p->bytes);
  free(p->pieces);
  free(p->panel);
}

static void stored_bench_product(const tarei_kernels *kernels, const bench_peak *peak, size_t m,
                                 size_t k, size_t n, bool cold) {
  kernels_stored_product p = stored_product(kernels, m, k, n, cold);
  const bool splits = kernels->split_i8_isa != TAREI_ISA_SCALAR;
  measured_work works[] = {{.run = stored_run_float, .context = &p},
                           {.run = stored_run_thin, .context = &p},
                           {.run = stored_run_widened, .context = &p},
                           {.run = splits ? stored_run_split : stored_run_thin, .context = &p},
                           {.run = peak ? peak->run : stored_run_float, .context = &p}};
  bench_best_times(works, 5);
  const double rate = 2.0 * (double)(m * k * n) / works[3].best;
  printf("%5zux%-4zu %5zu %6s %9.1f %9.2f %8.2f %8.2f %8.1f\n", k, n, m, cold ? "yes" : "no",
         2.0 * (double)(m * k * n) / works[0].best * 1e-9, works[1].best / works[0].best,
         works[2].best / works[0].best, splits ? works[3].best / works[0].best : 0,
         splits && peak ? 100 * rate * works[4].best / peak->operations : 0);
  stored_product_free(&p);
}

void bench_products_stored(const tarei_kernels *kernels, unsigned isa) {
  static const size_t shapes[][2] = {{384, 384}, {384, 1536}, {1536, 384}, {768, 3072}};
  static const size_t rows[] = {1, 2, 4, 8, 16, 24, 32, 48, 64, 128, 512};
  const bench_peak *const peak = bench_peak_loop(false, isa);
  printf("\nweights as bytes beside %s; time over its time, %% of %s\n", kernels->f32_gemm_name,
         peak ? peak->name : "nothing");
  printf("%10s %5s %6s %9s %9s %8s %8s %8s\n", "K x N", "M", "cold", "f32 GOP/s", "registers",
         "widened", "split", "% peak");
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
      stored_bench_product(kernels, peak, rows[r], shapes[s][0], shapes[s][1], false);
      stored_bench_product(kernels, peak, rows[r], shapes[s][0], shapes[s][1], true);
    }
  }
}
