/* The oracle of the matrix products: one row of one panel at a time. */
#include <math.h>

#include "kernels/generic/epilogue.h"

void tarei_finish_panel__scalar(const tarei_epilogue *e, const float *sums, size_t m, size_t n,
                                size_t n0) {
  const tarei_tile tile = {.values = sums,
                           .ld = TAREI_I8_PANEL,
                           .m0 = m,
                           .rows = 1,
                           .n0 = n0,
                           .cols = n - n0 < TAREI_I8_PANEL ? n - n0 : TAREI_I8_PANEL};
  tarei_epilogue__scalar(e, &tile);
}

static void i8_panel(const tarei_i8_gemm *g, size_t m, size_t n0) {
  const int8_t *const b = g->b + n0 / TAREI_I8_PANEL * tarei_i8_packed_size(g->k, 1);
  const uint8_t *const a = g->a + m * g->lda;
  const size_t part = g->k / tarei_i8_gemm_parts(g);
  float acc[TAREI_I8_PANEL];
  for (size_t j = 0; j < TAREI_I8_PANEL; j++) {
    uint32_t sum = (uint32_t)g->add[n0 + j]; /* unsigned: wraps as the vector forms do */
    for (size_t k = 0; k < g->k; k++) {
      const uint8_t byte = a[k / part * g->part_step + k % part];
      sum += (uint32_t)(byte * b[(k / 4 * TAREI_I8_PANEL + j) * 4 + k % 4]);
    }
    acc[j] = (float)(int32_t)sum;
  }
  tarei_finish_panel__scalar(&g->epilogue, acc, m, g->n, n0);
}

void tarei_k_i8_gemm_u8s8_1x32__scalar(const tarei_i8_gemm *g) {
  for (size_t n0 = 0; n0 < g->n; n0 += TAREI_I8_PANEL) {
    for (size_t m = 0; m < g->m; m++) {
      i8_panel(g, m, n0);
    }
  }
}

void tarei_k_i8_windows_u8s8_1x32__scalar(const tarei_i8_gemm *g) {
  tarei_k_i8_gemm_u8s8_1x32__scalar(g);
}

static void f32_panel(const tarei_f32_gemm *g, size_t m, size_t n0) {
  const float *const b = g->b + n0 * g->k;
  const size_t part = tarei_f32_gemm_part(g);
  float acc[TAREI_F32_PANEL] = {0};
  for (size_t k = 0; k < g->k; k++) {
    const float a = g->a[m * g->lda + k / part * g->part_step + k % part];
    for (size_t j = 0; j < TAREI_F32_PANEL; j++) {
      acc[j] = fmaf(a, b[k * TAREI_F32_PANEL + j], acc[j]);
    }
  }
  tarei_finish_panel__scalar(&g->epilogue, acc, m, g->n, n0);
}

void tarei_k_f32_gemm_f32_1x32__scalar(const tarei_f32_gemm *g) {
  for (size_t n0 = 0; n0 < g->n; n0 += TAREI_F32_PANEL) {
    for (size_t m = 0; m < g->m; m++) {
      f32_panel(g, m, n0);
    }
  }
}
