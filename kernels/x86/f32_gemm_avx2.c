/* Six rows by half a panel in registers; one fused chain an output over ascending k. */
#if !defined(__AVX2__) || !defined(__FMA__)
#error "needs AVX2 and FMA"
#endif
#include <immintrin.h>

#include "kernels/generic/gemm_walk.h"
#include "kernels/generic/row_cursor.h"

enum { MAX_ROWS = 6, HALF = GEMM_PANEL / 2 };

TAREI_INLINE void half_panel(const tarei_f32_gemm *g, size_t m0, const float *b, const size_t rows,
                             float *tile) {
  const size_t parts = tarei_f32_gemm_parts(g), steps = tarei_f32_gemm_part(g);
  __m256 low[MAX_ROWS], high[MAX_ROWS];
#pragma GCC unroll 6
  for (size_t i = 0; i < rows; i++) {
    low[i] = _mm256_setzero_ps();
    high[i] = _mm256_setzero_ps();
  }
  for (size_t part = 0; part < parts; part++) {
    const float *const first = g->a + m0 * g->lda + part * g->part_step;
    row_cursor a = row_cursor_at(first, g->lda * sizeof(float));
    for (size_t k = 0; k < steps; k++) {
      const __m256 w0 = _mm256_load_ps(b);
      const __m256 w1 = _mm256_load_ps(b + 8);
#pragma GCC unroll 6
      for (size_t i = 0; i < rows; i++) {
        const __m256 x = _mm256_broadcast_ss(row_cursor_row(&a, i));
        low[i] = _mm256_fmadd_ps(x, w0, low[i]);
        high[i] = _mm256_fmadd_ps(x, w1, high[i]);
      }
      row_cursor_advance(&a, rows);
      b += GEMM_PANEL;
    }
  }
#pragma GCC unroll 6
  for (size_t i = 0; i < rows; i++) {
    _mm256_store_ps(tile + i * GEMM_PANEL, low[i]);
    _mm256_store_ps(tile + i * GEMM_PANEL + 8, high[i]);
  }
}

#define TAREI_ISA_SUFFIX avx2
#include "kernels/generic/f32_gemm_half.h"
