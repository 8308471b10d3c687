/* Up to 14 rows by 32 columns in registers; one fused chain an output over ascending k. */
#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512VL__) || \
    !defined(__AVX512DQ__)
#error "needs AVX-512 F, BW, VL and DQ"
#endif
#include <immintrin.h>

#include "kernels/generic/gemm_walk.h"
#include "kernels/generic/row_cursor.h"

enum {
  MAX_ROWS = 14,
  MAX_PANELS = 4,
  MAX_VECTORS = 28,
  PREFETCH_FLOATS = 2048, /* for weights beyond L2; harms a single row */
};

typedef struct sums {
  __m512 v[MAX_VECTORS]; /* [row][panel][half] */
} sums;

TAREI_INLINE void step(sums *s, const row_cursor *a, const float *b, size_t panel_floats,
                       const size_t rows, const size_t panels) {
  __m512 w[2 * MAX_PANELS];
#pragma GCC unroll 8
  for (size_t q = 0; q < 2 * panels; q++) {
    const float *const at = b + q / 2 * panel_floats + q % 2 * 16;
    w[q] = _mm512_load_ps(at);
    if (rows > 1) {
      _mm_prefetch((const char *)(at + PREFETCH_FLOATS), _MM_HINT_T0);
    }
  }
#pragma GCC unroll 14
  for (size_t i = 0; i < rows; i++) {
    const __m512 x = _mm512_set1_ps(*(const float *)row_cursor_row(a, i));
#pragma GCC unroll 8
    for (size_t q = 0; q < 2 * panels; q++) {
      s->v[i * 2 * panels + q] = _mm512_fmadd_ps(x, w[q], s->v[i * 2 * panels + q]);
    }
  }
}

TAREI_INLINE void block(const tarei_f32_gemm *g, size_t m0, size_t panel, const size_t rows,
                        const size_t panels) {
  _Alignas(64) float tile[MAX_VECTORS * 16];
  const size_t panel_floats = g->k * GEMM_PANEL;
  const float *b = g->b + panel * panel_floats;
  row_cursor a = row_cursor_at(g->a + m0 * g->lda, g->lda * sizeof(float));
  sums s;
#pragma GCC unroll 28
  for (size_t i = 0; i < rows * 2 * panels; i++) {
    s.v[i] = _mm512_setzero_ps();
  }
  for (size_t k = 0; k < g->k; k++) {
    step(&s, &a, b, panel_floats, rows, panels);
    row_cursor_advance(&a, rows);
    b += GEMM_PANEL;
  }
#pragma GCC unroll 28
  for (size_t i = 0; i < rows * 2 * panels; i++) {
    const size_t row = i / (2 * panels);
    const size_t q = i % (2 * panels);
    _mm512_store_ps(tile + ((q / 2 * rows + row) * 2 + q % 2) * 16, s.v[i]);
  }
  for (size_t p = 0; p < panels; p++) {
    const tarei_tile done = gemm_tile(tile + p * rows * GEMM_PANEL, m0, rows, g->n, panel + p);
    tarei_epilogue__avx512(&g->epilogue, &done);
  }
}

#define DEFINE_BLOCK(rows, panels)                                                       \
  static void block_##rows##x##panels(const void *gemm, size_t m0, size_t panel) {       \
    block(gemm, m0, panel, rows, panels);                                                \
  }
DEFINE_BLOCK(1, 1)
DEFINE_BLOCK(2, 1)
DEFINE_BLOCK(3, 1)
DEFINE_BLOCK(4, 1)
DEFINE_BLOCK(5, 1)
DEFINE_BLOCK(6, 1)
DEFINE_BLOCK(7, 1)
DEFINE_BLOCK(8, 1)
DEFINE_BLOCK(9, 1)
DEFINE_BLOCK(10, 1)
DEFINE_BLOCK(11, 1)
DEFINE_BLOCK(12, 1)
DEFINE_BLOCK(13, 1)
DEFINE_BLOCK(14, 1)
DEFINE_BLOCK(1, 4)

static gemm_block_fn *const one_panel[MAX_ROWS] = {
    block_1x1, block_2x1, block_3x1,  block_4x1,  block_5x1,  block_6x1,  block_7x1,
    block_8x1, block_9x1, block_10x1, block_11x1, block_12x1, block_13x1, block_14x1};

static void gemm_of_one_row(const tarei_f32_gemm *g, size_t panels) {
  size_t p = 0;
  for (; p + 4 <= panels; p += 4) {
    block_1x4(g, 0, p);
  }
  for (; p < panels; p++) {
    block_1x1(g, 0, p);
  }
}

void tare_k_f32_gemm_f32_14x32__avx512(const tarei_f32_gemm *g) {
  const size_t panels = (g->n + GEMM_PANEL - 1) / GEMM_PANEL;
  if (g->m == 1) {
    gemm_of_one_row(g, panels);
    return;
  }
  const gemm_walk walk = {g, g->m, panels, g->k * sizeof(float), MAX_ROWS, one_panel};
  gemm_walk_blocks(&walk);
}
