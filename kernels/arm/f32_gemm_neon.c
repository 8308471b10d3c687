/* Six rows by half a panel in registers; one fused chain an output over ascending k. */
#if !defined(__aarch64__)
#error "needs AArch64"
#endif
#include <arm_neon.h>

#include "kernels/generic/gemm_walk.h"
#include "kernels/generic/row_cursor.h"

#define TAREI_ISA_SUFFIX neon

enum { MAX_ROWS = 6, HALF = GEMM_PANEL / 2, VECTORS = HALF / 4 };

TAREI_INLINE void f32_half_panel(const tarei_f32_gemm *g, size_t m0, const float *b,
                                 const size_t rows, float *tile) {
  const size_t parts = tarei_f32_gemm_parts(g), steps = tarei_f32_gemm_part(g);
  float32x4_t sums[MAX_ROWS * VECTORS];
#pragma GCC unroll 24
  for (size_t i = 0; i < rows * VECTORS; i++) {
    sums[i] = vdupq_n_f32(0.0f);
  }
  for (size_t part = 0; part < parts; part++) {
    const float *const first = g->a + m0 * g->lda + part * g->part_step;
    row_cursor a = row_cursor_at(first, g->lda * sizeof(float));
    for (size_t k = 0; k < steps; k++) {
      const float32x4x4_t w = vld1q_f32_x4(b);
#pragma GCC unroll 6
      for (size_t i = 0; i < rows; i++) {
        const float32x4_t x = vld1q_dup_f32(row_cursor_row(&a, i));
#pragma GCC unroll 4
        for (size_t q = 0; q < VECTORS; q++) {
          sums[i * VECTORS + q] = vfmaq_f32(sums[i * VECTORS + q], x, w.val[q]);
        }
      }
      row_cursor_advance(&a, rows);
      b += GEMM_PANEL;
    }
  }
#pragma GCC unroll 24
  for (size_t i = 0; i < rows * VECTORS; i++) {
    vst1q_f32(tile + i / VECTORS * GEMM_PANEL + i % VECTORS * 4, sums[i]);
  }
}

TAREI_INLINE void f32_block(const tarei_f32_gemm *g, size_t m0, size_t panel, const size_t rows) {
  _Alignas(64) float tile[MAX_ROWS * GEMM_PANEL];
  const float *const b = g->b + panel * g->k * GEMM_PANEL;
  f32_half_panel(g, m0, b, rows, tile);
  if (g->n - panel * GEMM_PANEL > HALF) {
    f32_half_panel(g, m0, b + HALF, rows, tile + HALF);
  }
  const tarei_tile done = gemm_tile(tile, m0, rows, g->n, panel);
  tarei_epilogue__neon(&g->epilogue, &done);
}

#define DEFINE_BLOCK(rows)                                                           \
  static void TAREI_K(f32_block_##rows)(const void *gemm, size_t m0, size_t panel) { \
    f32_block(gemm, m0, panel, rows);                                                \
  }
GEMM_HEIGHTS_TO_6(DEFINE_BLOCK)
#define BLOCK_OF(rows) TAREI_K(f32_block_##rows),

void tarei_k_f32_gemm_f32_6x16__neon(const tarei_f32_gemm *g) {
  static gemm_block_fn *const by_rows[MAX_ROWS] = {GEMM_HEIGHTS_TO_6(BLOCK_OF)};
  const gemm_walk walk = {.gemm = g,
                          .m = g->m,
                          .panels = (g->n + GEMM_PANEL - 1) / GEMM_PANEL,
                          .row_bytes = g->k * sizeof(float),
                          .max_rows = MAX_ROWS,
                          .by_rows = by_rows,
                          .panels_at_once = 1};
  gemm_walk_blocks(&walk);
}
