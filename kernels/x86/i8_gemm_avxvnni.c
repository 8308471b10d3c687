/* u8 x s8 by vpdpbusd on 256 bits: six rows by half a panel in registers. */
#if !defined(__AVX2__) || !defined(__AVXVNNI__)
#error "needs AVX2 and AVX-VNNI"
#endif
#include <immintrin.h>
#include <string.h>

#define TAREI_ISA_SUFFIX avxvnni
#include "kernels/generic/gemm_walk.h"
#include "kernels/generic/row_cursor.h"

enum { MAX_ROWS = 6, STEP = GEMM_PANEL * 4 };

/* gcc 12 spills the accumulators around the intrinsic. */
#define DOT(acc, a, b) __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(acc) : "x"(a), "x"(b))

TAREI_INLINE void avxvnni_half_panel(const tarei_i8_gemm *g, size_t m0, const int8_t *b,
                                     const int32_t *add, const size_t rows, int32_t *sums) {
  row_cursor a = row_cursor_at(g->a + m0 * g->lda, g->lda);
  __m256i low[MAX_ROWS], high[MAX_ROWS];
#pragma GCC unroll 6
  for (size_t i = 0; i < rows; i++) {
    low[i] = _mm256_loadu_si256((const __m256i *)add);
    high[i] = _mm256_loadu_si256((const __m256i *)(add + 8));
  }
  for (size_t k = 0; k < g->k; k += 4) {
    const __m256i w0 = _mm256_load_si256((const __m256i *)b);
    const __m256i w1 = _mm256_load_si256((const __m256i *)(b + 32));
#pragma GCC unroll 6
    for (size_t i = 0; i < rows; i++) {
      int32_t four;
      memcpy(&four, row_cursor_row(&a, i), sizeof four);
      const __m256i x = _mm256_set1_epi32(four);
      DOT(low[i], x, w0);
      DOT(high[i], x, w1);
    }
    row_cursor_advance(&a, rows);
    b += STEP;
  }
#pragma GCC unroll 6
  for (size_t i = 0; i < rows; i++) {
    _mm256_store_si256((__m256i *)(sums + i * GEMM_PANEL), low[i]);
    _mm256_store_si256((__m256i *)(sums + i * GEMM_PANEL + 8), high[i]);
  }
}

TAREI_INLINE void TAREI_K(half_block_sums)(const tarei_i8_gemm *g, size_t m0, size_t panel,
                                           size_t columns, const size_t rows, int32_t *sums) {
  const int8_t *const b = g->b + panel * ((g->k + 3) / 4 * STEP);
  const int32_t *const add = g->add + panel * GEMM_PANEL;
  (void)columns; /* the second half of few columns is zeros, and as fast as a test */
  avxvnni_half_panel(g, m0, b, add, rows, sums);
  avxvnni_half_panel(g, m0, b + STEP / 2, add + GEMM_PANEL / 2, rows, sums + GEMM_PANEL / 2);
}

#include "kernels/x86/i8_gemm_half.h"
