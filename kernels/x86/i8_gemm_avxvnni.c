/* u8 x s8 by vpdpbusd on 256 bits: six rows by half a panel in registers. */
#if !defined(__AVX2__) || !defined(__AVXVNNI__)
#error "needs AVX2 and AVX-VNNI"
#endif
#include <immintrin.h>
#include <string.h>

#include "kernels/generic/gemm_walk.h"
#include "kernels/generic/row_cursor.h"

enum { MAX_ROWS = 6, STEP = GEMM_PANEL * 4 };

/* gcc 12 spills the accumulators around the intrinsic. */
#define DOT(acc, a, b) __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(acc) : "x"(a), "x"(b))

TAREI_INLINE void half_panel(const tarei_i8_gemm *g, size_t m0, const int8_t *b, const size_t rows,
                             int32_t *sums) {
  row_cursor a = row_cursor_at(g->a + m0 * g->lda, g->lda);
  __m256i low[MAX_ROWS], high[MAX_ROWS];
#pragma GCC unroll 6
  for (size_t i = 0; i < rows; i++) {
    low[i] = _mm256_setzero_si256();
    high[i] = _mm256_setzero_si256();
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

#define TAREI_ISA_SUFFIX avxvnni
#include "kernels/x86/i8_gemm_half.h"

DEFINE_BLOCK(1)
DEFINE_BLOCK(2)
DEFINE_BLOCK(3)
DEFINE_BLOCK(4)
DEFINE_BLOCK(5)
DEFINE_BLOCK(6)

void tarei_k_i8_gemm_u8s8_6x16__avxvnni(const tarei_i8_gemm *g) {
  static gemm_block_fn *const by_rows[MAX_ROWS] = {TAREI_K(i8_block_1), TAREI_K(i8_block_2),
                                                   TAREI_K(i8_block_3), TAREI_K(i8_block_4),
                                                   TAREI_K(i8_block_5), TAREI_K(i8_block_6)};
  walk_gemm(g, by_rows);
}
