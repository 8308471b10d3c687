/* The float product where the registers hold six rows by half a panel. Before inclusion: MAX_ROWS
 * (6), HALF, TAREI_ISA_SUFFIX, and
 *   half_panel(g, m0, b, rows, tile): rows by 16 columns, tile[i * 32 + column]. */
#include "kernels/generic/gemm_walk.h"

TAREI_INLINE void f32_block(const tarei_f32_gemm *g, size_t m0, size_t panel, const size_t rows) {
  _Alignas(64) float tile[MAX_ROWS * GEMM_PANEL];
  const float *const b = g->b + panel * g->k * GEMM_PANEL;
  half_panel(g, m0, b, rows, tile);
  half_panel(g, m0, b + HALF, rows, tile + HALF);
  const tarei_tile done = gemm_tile(tile, m0, rows, g->n, panel);
  TAREI_K(tarei_epilogue)(&g->epilogue, &done);
}

#define DEFINE_BLOCK(rows)                                                           \
  static void TAREI_K(f32_block_##rows)(const void *gemm, size_t m0, size_t panel) { \
    f32_block(gemm, m0, panel, rows);                                                \
  }
DEFINE_BLOCK(1)
DEFINE_BLOCK(2)
DEFINE_BLOCK(3)
DEFINE_BLOCK(4)
DEFINE_BLOCK(5)
DEFINE_BLOCK(6)

void TAREI_K(tarei_k_f32_gemm_f32_6x16)(const tarei_f32_gemm *g) {
  static gemm_block_fn *const by_rows[MAX_ROWS] = {TAREI_K(f32_block_1), TAREI_K(f32_block_2),
                                                   TAREI_K(f32_block_3), TAREI_K(f32_block_4),
                                                   TAREI_K(f32_block_5), TAREI_K(f32_block_6)};
  const gemm_walk walk = {.gemm = g,
                          .m = g->m,
                          .panels = (g->n + GEMM_PANEL - 1) / GEMM_PANEL,
                          .row_bytes = g->k * sizeof(float),
                          .max_rows = MAX_ROWS,
                          .by_rows = by_rows,
                          .panels_at_once = 1};
  gemm_walk_blocks(&walk);
}
