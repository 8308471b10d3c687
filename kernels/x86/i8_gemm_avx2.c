/* u8 x s8 in 16-bit products: vpmaddubsw would saturate, so even and odd k are multiplied apart.
 * Rows are widened once for a block and CHUNK k of them. Weights are not: as words times 256 they
 * take one instruction each, a shift or a mask, and the sums of CHUNK k, times 256 as well, stay
 * within 2^31. Six rows by half a panel in registers. */
#if !defined(__AVX2__)
#error "needs AVX2"
#endif
#include <immintrin.h>

#define TAREI_ISA_SUFFIX avx2
#include "kernels/generic/gemm_walk.h"

enum {
  MAX_ROWS = 6,
  FEW_ROWS = 2, /* of which the registers hold a whole panel */
  CHUNK = 256,  /* * 256 * 255 * 128 < 2^31 */
  STEP = GEMM_PANEL * 4,
  WIDE_BYTES = 32, /* widened at a time */
  UPPER = 0xff00,
};

/* k even and k odd of each four, as pairs of words. */
typedef struct wide_row {
  int32_t even[CHUNK / 4], odd[CHUNK / 4];
} wide_row;

/* The first n bytes; zeros beyond. Fours are read whole. What they have of others meets zeros in
 * the weights, but where it was never written, valgrind takes the sums for unknown. */
TAREI_INLINE __m256i load_fours(const uint8_t *a, size_t n) {
  if (n == WIDE_BYTES / 2) {
    return _mm256_zextsi128_si256(_mm_loadu_si128((const __m128i *)a));
  }
  const __m256i fours = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)((n + 3) / 4)), fours);
  const __m256i x = _mm256_maskload_epi32((const int *)a, mask);
  if (n % 4 == 0) {
    return x;
  }
  const __m256i last = _mm256_cmpeq_epi32(_mm256_set1_epi32((int)(n / 4)), fours);
  const __m256i none = _mm256_slli_epi32(last, (int)(n % 4 * 8)); /* bits beyond n */
  return _mm256_andnot_si256(none, x);
}

TAREI_INLINE void widen_row(const uint8_t *a, size_t k, wide_row *to) {
  const __m256i low = _mm256_set1_epi16(255);
  for (size_t i = 0; i < k; i += WIDE_BYTES) {
    const __m256i x = k - i < WIDE_BYTES ? load_fours(a + i, k - i)
                                         : _mm256_loadu_si256((const __m256i *)(a + i));
    _mm256_store_si256((__m256i *)(to->even + i / 4), _mm256_and_si256(x, low));
    _mm256_store_si256((__m256i *)(to->odd + i / 4), _mm256_srli_epi16(x, 8));
  }
}

/* Of each word. The mask stays in memory: there is no register for it. */
TAREI_LANE __m256i upper_bytes(__m256i words) {
  static const _Alignas(32)
      uint16_t mask[16] = {UPPER, UPPER, UPPER, UPPER, UPPER, UPPER, UPPER, UPPER,
                           UPPER, UPPER, UPPER, UPPER, UPPER, UPPER, UPPER, UPPER};
  __asm__("vpand %1, %0, %0" : "+x"(words) : "m"(mask));
  return words;
}

/* gcc 12 spills around the intrinsics: it adds both products of a sum first. */
#define ADD_PRODUCT(sum, a, b)                         \
  do {                                                 \
    __m256i product;                                   \
    __asm__("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0" \
            : "+x"(sum), "=&x"(product)                \
            : "x"(a), "x"(b));                         \
  } while (0)

/* Of two sums: both products first, which is faster, the second in the register of the row. */
#define ADD_TWO_PRODUCTS(sum0, sum1, a, b0, b1)             \
  do {                                                      \
    __m256i product, row = (a);                             \
    __asm__(                                                \
        "vpmaddwd %4, %3, %2\n\tvpmaddwd %5, %3, %3\n\t"    \
        "vpaddd %2, %0, %0\n\tvpaddd %3, %1, %1"            \
        : "+x"(sum0), "+x"(sum1), "=&x"(product), "+x"(row) \
        : "x"(b0), "x"(b1));                                \
  } while (0)

/* What products are added to: the sums before them, or for all rows the same numbers. */
typedef struct sums_before {
  const int32_t *first;
  size_t row_step;
} sums_before;

TAREI_INLINE sums_before sums_from(sums_before from, size_t column) {
  return (sums_before){from.first + column, from.row_step};
}

TAREI_STEP void product_steps(__m256i *sum, const wide_row *a, const int8_t *b, size_t steps,
                              const size_t rows, const size_t vectors) {
  const int32_t *x = a->even;
  for (size_t s = 0; s < steps; s++) {
#pragma GCC unroll 2
    for (size_t odd = 0; odd < 2; odd++) {
      __m256i w[4];
#pragma GCC unroll 4
      for (size_t v = 0; v < vectors; v++) {
        const __m256i both = _mm256_load_si256((const __m256i *)(b + v * 32));
        w[v] = odd ? upper_bytes(both) : _mm256_slli_epi16(both, 8);
      }
#pragma GCC unroll 6
      for (size_t i = 0; i < rows; i++) {
        const __m256i pair =
            _mm256_set1_epi32(x[i * sizeof *a / sizeof *x + odd * (sizeof a->even / sizeof *x)]);
        if (vectors == 2) {
          ADD_TWO_PRODUCTS(sum[i * 2], sum[i * 2 + 1], pair, w[0], w[1]);
        } else {
#pragma GCC unroll 4
          for (size_t v = 0; v < vectors; v++) {
            ADD_PRODUCT(sum[i * vectors + v], pair, w[v]);
          }
        }
      }
    }
    x++;
    __asm__("" : "+r"(x)); /* one pointer to all rows */
    b += STEP;
  }
}

/* The products of some rows and of one, two or four vectors of columns, added to what is before. */
TAREI_INLINE void add_products(const wide_row *a, const int8_t *b, size_t steps, const size_t rows,
                               const size_t vectors, sums_before before, int32_t *sums) {
  __m256i sum[2 * MAX_ROWS];
#pragma GCC unroll 12
  for (size_t i = 0; i < rows * vectors; i++) {
    sum[i] = _mm256_setzero_si256();
  }
  tarei_steps_read(a, rows * sizeof *a);
  tarei_steps_read(b, steps ? (steps - 1) * STEP + vectors * 32 : 0);
  product_steps(sum, a, b, steps, rows, vectors);
#pragma GCC unroll 12
  for (size_t i = 0; i < rows * vectors; i++) {
    const size_t row = i / vectors, column = i % vectors * 8;
    const int32_t *const from = before.first + row * before.row_step + column;
    _mm256_store_si256(
        (__m256i *)(sums + row * GEMM_PANEL + column),
        _mm256_add_epi32(_mm256_loadu_si256((const __m256i *)from), _mm256_srai_epi32(sum[i], 8)));
  }
}

TAREI_INLINE void add_products_by_halves(const wide_row *a, const int8_t *b, size_t steps,
                                         size_t columns, const size_t rows, sums_before before,
                                         int32_t *sums) {
  for (size_t j = 0; j < columns; j += 16) {
    if (columns - j > 8) {
      add_products(a, b + j * 4, steps, rows, 2, sums_from(before, j), sums + j);
    } else {
      add_products(a, b + j * 4, steps, rows, 1, sums_from(before, j), sums + j);
    }
  }
}

/* Those of a chunk of part k, of which m0 and k are the first. */
TAREI_INLINE void add_chunk(const tarei_i8_gemm *g, size_t m0, size_t k, size_t part,
                            const int8_t *b, size_t columns, const size_t rows, sums_before before,
                            int32_t *sums) {
  _Alignas(32) wide_row wide[MAX_ROWS];
  const size_t steps = (part + 3) / 4;
  for (size_t i = 0; i < rows; i++) {
    widen_row(g->a + (m0 + i) * g->lda + k, part, wide + i);
  }
  if (rows <= FEW_ROWS && columns > GEMM_PANEL / 2) {
    add_products(wide, b, steps, rows, 4, before, sums);
  } else {
    add_products_by_halves(wide, b, steps, columns, rows, before, sums);
  }
}

/* Rows that begin with g->add. */
TAREI_INLINE void begin_sums(const int32_t *add, const size_t rows, int32_t *sums) {
#pragma GCC unroll 4
  for (size_t v = 0; v < GEMM_PANEL; v += 8) {
    const __m256i first = _mm256_loadu_si256((const __m256i *)(add + v));
#pragma GCC unroll 6
    for (size_t i = 0; i < rows; i++) {
      _mm256_store_si256((__m256i *)(sums + i * GEMM_PANEL + v), first);
    }
  }
}

/* Short sums are those of one chunk, which begins with g->add. */
TAREI_INLINE void TAREI_K(half_block_sums)(const tarei_i8_gemm *g, size_t m0, size_t panel,
                                           size_t columns, const size_t rows, int32_t *sums) {
  const int32_t *const add = g->add + panel * GEMM_PANEL;
  const int8_t *b = g->b + panel * ((g->k + 3) / 4 * STEP);
  if (g->k > 0 && g->k <= CHUNK) {
    add_chunk(g, m0, 0, g->k, b, columns, rows, (sums_before){add, 0}, sums);
    return;
  }
  begin_sums(add, rows, sums);
  for (size_t k = 0; k < g->k; k += CHUNK) {
    const size_t part = g->k - k < CHUNK ? g->k - k : CHUNK;
    add_chunk(g, m0, k, part, b, columns, rows, (sums_before){sums, GEMM_PANEL}, sums);
    b += CHUNK / 4 * STEP;
  }
}

#include "kernels/x86/i8_gemm_half.h"
