/* The blocks of the 256-bit int8 products. Before inclusion: MAX_ROWS, TAREI_ISA_SUFFIX, and
 *   half_panel(g, m0, b, rows, sums): rows by 16 columns without g->add, sums[i * 32 + column]. */
#include <immintrin.h>

enum { HALF = GEMM_PANEL / 2, HALF_BYTES = HALF * 4 };

TAREI_INLINE void finish_block(const tarei_i8_gemm *g, size_t m0, size_t panel, size_t rows,
                               const int32_t *sums) {
  _Alignas(64) float tile[MAX_ROWS * GEMM_PANEL];
  const int32_t *const add = g->add + panel * GEMM_PANEL;
  for (size_t i = 0; i < rows * GEMM_PANEL; i += 8) {
    const __m256i base = _mm256_loadu_si256((const __m256i *)(add + i % GEMM_PANEL));
    const __m256i sum = _mm256_load_si256((const __m256i *)(sums + i));
    _mm256_store_ps(tile + i, _mm256_cvtepi32_ps(_mm256_add_epi32(sum, base)));
  }
  const tarei_tile done = gemm_tile(tile, m0, rows, g->n, panel);
  tarei_epilogue__avx2(&g->epilogue, &done);
}

TAREI_INLINE void i8_half_block(const tarei_i8_gemm *g, size_t m0, size_t panel,
                                const size_t rows) {
  _Alignas(64) int32_t sums[MAX_ROWS * GEMM_PANEL];
  const int8_t *const b = g->b + panel * ((g->k + 3) / 4 * 4) * GEMM_PANEL;
  half_panel(g, m0, b, rows, sums);
  half_panel(g, m0, b + HALF_BYTES, rows, sums + HALF);
  finish_block(g, m0, panel, rows, sums);
}

#define DEFINE_BLOCK(rows)                                                          \
  static void TAREI_K(i8_block_##rows)(const void *gemm, size_t m0, size_t panel) { \
    i8_half_block(gemm, m0, panel, rows);                                           \
  }

TAREI_INLINE void walk_gemm(const tarei_i8_gemm *g, gemm_block_fn *const *by_rows) {
  const gemm_walk walk = {.gemm = g,
                          .m = g->m,
                          .panels = (g->n + GEMM_PANEL - 1) / GEMM_PANEL,
                          .row_bytes = g->k,
                          .max_rows = MAX_ROWS,
                          .by_rows = by_rows,
                          .panels_at_once = 1};
  gemm_walk_blocks(&walk);
}
