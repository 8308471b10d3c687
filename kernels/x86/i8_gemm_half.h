/* The blocks of the 256-bit int8 products. Before inclusion: MAX_ROWS, TAREI_ISA_SUFFIX, and
 *   TAREI_K(half_block_sums)(g, m0, panel, columns, rows, sums): rows of a panel with so many
 * columns, sums[i * 32 + column] with g->add in them; of columns beyond, anything. */
#include "kernels/x86/i8_finish.h"

typedef struct i8_half_gemm {
  const tarei_i8_gemm *gemm;
  half_product product;
} i8_half_gemm;

TAREI_INLINE void i8_half_block(const i8_half_gemm *h, size_t m0, size_t panel, const size_t rows) {
  _Alignas(64) int32_t sums[MAX_ROWS * GEMM_PANEL];
  const tarei_i8_gemm *const g = h->gemm;
  const size_t n0 = panel * GEMM_PANEL;
  const size_t columns = g->n - n0 < GEMM_PANEL ? g->n - n0 : GEMM_PANEL;
  TAREI_K(half_block_sums)(g, m0, panel, columns, rows, sums);
  const half_tile done = {&h->product, sums, m0, n0, rows, columns};
  tarei_half_finish__avx2(&done);
}

#define DEFINE_BLOCK(rows)                                                          \
  static void TAREI_K(i8_block_##rows)(const void *half, size_t m0, size_t panel) { \
    i8_half_block(half, m0, panel, rows);                                           \
  }
GEMM_HEIGHTS_TO_6(DEFINE_BLOCK)
#define BLOCK_OF(rows) TAREI_K(i8_block_##rows),

void TAREI_K(tarei_k_i8_gemm_u8s8_6x16)(const tarei_i8_gemm *g) {
  static gemm_block_fn *const by_rows[MAX_ROWS] = {GEMM_HEIGHTS_TO_6(BLOCK_OF)};
  const half_source source = {&g->epilogue, g->m, g->n, g->k, g->add};
  const i8_half_gemm half = {g, tarei_half_product__avx2(&source)};
  const gemm_walk walk = {.gemm = &half,
                          .m = g->m,
                          .panels = (g->n + GEMM_PANEL - 1) / GEMM_PANEL,
                          .row_bytes = g->k,
                          .max_rows = MAX_ROWS,
                          .by_rows = by_rows,
                          .panels_at_once = 1};
  gemm_walk_blocks(&walk);
}
