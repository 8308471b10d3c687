/* u8 x s8 in 16-bit products: vpmaddubsw would saturate, so both sides are split into even and odd
 * k first. Four rows by half a panel in registers. */
#if !defined(__AVX2__)
#error "needs AVX2"
#endif
#include <immintrin.h>
#include <string.h>

#include "kernels/generic/gemm_walk.h"
#include "kernels/generic/row_cursor.h"

enum { MAX_ROWS = 4, STEP = GEMM_PANEL * 4 };

/* k even and k odd of eight columns, each as s16 */
typedef struct split {
  __m256i even, odd;
} split;

TAREI_INLINE split split_weights(const int8_t *b) {
  const __m256i w = _mm256_load_si256((const __m256i *)b);
  return (split){_mm256_srai_epi16(_mm256_slli_epi16(w, 8), 8), _mm256_srai_epi16(w, 8)};
}

TAREI_INLINE split split_row(const void *a) {
  int32_t four;
  memcpy(&four, a, sizeof four);
  const __m256i x = _mm256_set1_epi32(four);
  /* two shifts and no mask: the sixteenth register is taken */
  return (split){_mm256_srli_epi16(_mm256_slli_epi16(x, 8), 8), _mm256_srli_epi16(x, 8)};
}

TAREI_INLINE __m256i dot(__m256i sum, split x, split w) {
  const __m256i even = _mm256_madd_epi16(x.even, w.even);
  return _mm256_add_epi32(_mm256_add_epi32(sum, even), _mm256_madd_epi16(x.odd, w.odd));
}

TAREI_INLINE void half_panel(const tarei_i8_gemm *g, size_t m0, const int8_t *b, const size_t rows,
                             int32_t *sums) {
  row_cursor a = row_cursor_at(g->a + m0 * g->lda, g->lda);
  __m256i low[MAX_ROWS], high[MAX_ROWS];
#pragma GCC unroll 4
  for (size_t i = 0; i < rows; i++) {
    low[i] = _mm256_setzero_si256();
    high[i] = _mm256_setzero_si256();
  }
  for (size_t k = 0; k < g->k; k += 4) {
    const split w0 = split_weights(b);
    const split w1 = split_weights(b + 32);
#pragma GCC unroll 4
    for (size_t i = 0; i < rows; i++) {
      const split x = split_row(row_cursor_row(&a, i));
      low[i] = dot(low[i], x, w0);
      high[i] = dot(high[i], x, w1);
    }
    row_cursor_advance(&a, rows);
    b += STEP;
  }
#pragma GCC unroll 4
  for (size_t i = 0; i < rows; i++) {
    _mm256_store_si256((__m256i *)(sums + i * GEMM_PANEL), low[i]);
    _mm256_store_si256((__m256i *)(sums + i * GEMM_PANEL + 8), high[i]);
  }
}

#define TAREI_ISA_SUFFIX avx2
#include "kernels/x86/i8_gemm_half.h"

DEFINE_BLOCK(1)
DEFINE_BLOCK(2)
DEFINE_BLOCK(3)
DEFINE_BLOCK(4)

void tarei_k_i8_gemm_u8s8_4x16__avx2(const tarei_i8_gemm *g) {
  static gemm_block_fn *const by_rows[MAX_ROWS] = {TAREI_K(i8_block_1), TAREI_K(i8_block_2),
                                                   TAREI_K(i8_block_3), TAREI_K(i8_block_4)};
  walk_gemm(g, by_rows);
}
