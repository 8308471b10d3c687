/* Conversion to bf16, and products of it by fused multiply-adds of floats. Instantiated once per
 * ISA. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/generic/bf16_sums.h"
#include "kernels/generic/gemm_walk.h"
#include "kernels/generic/v16.h"

/* Rows by sixteen columns that the registers hold. */
#if TAREI_BYTES == 64
enum { BF16_ROWS = 12 };
#define BF16_EACH_HEIGHT(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12)
#else
enum { BF16_ROWS = 6 };
#define BF16_EACH_HEIGHT(X) X(1) X(2) X(3) X(4) X(5) X(6)
#endif
enum { BF16_PAIRS = TAREI_BF16_STEP / 2 };

/* --- conversion ------------------------------------------------------------------------------- */
/* Magnitudes first: they round as integers do. Not finite ones keep their upper half, and the
 * addition has made NaNs quiet. */
TAREI_INLINE v16i v_to_bf16(v16 x) {
  const v16 size = v_abs(v_add(x, v_set1(-0.0f)));
  const v16i bits = v_bits(v_select(v_less(size, v_set1(FLT_MIN)), v_set1(0.0f), size));
  const v16i half = i_shift_right(bits, 16);
  const v16i odd = i_sub(half, i_shift_left(i_shift_right(bits, 17), 1));
  const v16i rounded = i_shift_right(i_add(i_add(bits, odd), i_set1(0x7fff)), 16);
  const v16i result = i_select(v_less(size, v_set1(INFINITY)), rounded, half);
  const v16i sign = i_shift_right(v_bits(x), 31); /* 0 or -1 */
  return i_sub(result, i_shift_left(sign, 15));
}

TAREI_INLINE void to_bf16_row(const float *x, size_t k, uint16_t *out) {
  size_t i = 0;
  for (; i + TAREI_LANES <= k; i += TAREI_LANES) {
    i_store_u16(out + i, v_to_bf16(v_load(x + i)));
  }
  if (i < k) {
    uint16_t last[TAREI_LANES];
    i_store_u16(last, v_to_bf16(v_load_part(x + i, k - i)));
    memcpy(out + i, last, (k - i + k % 2) * sizeof *out);
  }
}

void TAREI_K(tarei_k_to_bf16_f32bf16_16)(const float *x, size_t ldx, size_t m, size_t k,
                                         uint16_t *out, size_t ldo) {
  for (size_t i = 0; i < m; i++) {
    to_bf16_row(x + i * ldx, k, out + i * ldo);
  }
}

/* --- products --------------------------------------------------------------------------------- */
/* Sixteen pairs as floats: the first of each when `parity` is 0, else the second. */
TAREI_INLINE v16 half_of_pairs(v16i pairs, const int parity) {
  return i_as_float(i_shift_left(parity ? i_shift_right(pairs, 16) : pairs, 16));
}

/* The rows' next `pairs` pairs as floats: [parity][row][pair]. */
typedef float bf16_rows[2][BF16_ROWS][BF16_PAIRS];

TAREI_INLINE void unpack_rows(const uint16_t *a, size_t lda, size_t pairs, const size_t rows,
                              bf16_rows to) {
  for (size_t i = 0; i < rows; i++) {
    const void *const at = a + i * lda;
    const v16i x = pairs == BF16_PAIRS ? i_load(at) : i_load_part(at, pairs);
    v_store(to[0][i], half_of_pairs(x, 0));
    v_store(to[1][i], half_of_pairs(x, 1));
  }
}

TAREI_INLINE void bf16_chains(const bf16_rows x, const uint16_t *w, size_t pairs, const size_t rows,
                              const int parity, v16 *sums) {
#pragma GCC unroll 12
  for (size_t i = 0; i < rows; i++) {
    sums[i] = v_set1(0.0f);
  }
  for (size_t j = 0; j < pairs; j++) {
    const v16 y = half_of_pairs(i_load((const void *)(w + j * 2 * GEMM_PANEL)), parity);
#pragma GCC unroll 12
    for (size_t i = 0; i < rows; i++) {
      sums[i] = v_fma(v_set1(x[parity][i][j]), y, sums[i]);
    }
  }
#pragma GCC unroll 12
  for (size_t i = 0; i < rows && pairs < BF16_PAIRS; i++) {
    sums[i] = v_add(sums[i], v_set1(0.0f)); /* as the zeros behind the last k do */
  }
}

TAREI_INLINE void bf16_step(const bf16_rows x, const uint16_t *w, size_t pairs, const size_t rows,
                            float *tile) {
  v16 even[BF16_ROWS], odd[BF16_ROWS];
  bf16_chains(x, w, pairs, rows, 0, even);
  bf16_chains(x, w, pairs, rows, 1, odd);
#pragma GCC unroll 12
  for (size_t i = 0; i < rows; i++) {
    float *const sum = tile + i * GEMM_PANEL;
    v_store(sum, v_add(v_load(sum), v_add(even[i], odd[i])));
  }
}

/* All of a block's arithmetic happens in here, where results below the normal range are flushed. */
TAREI_INLINE void bf16_block_sums(const tarei_bf16_gemm *g, size_t m0, size_t panel,
                                  const size_t rows, float *tile) {
  const size_t all = (g->k + 1) / 2;
  const uint16_t *const w = g->b + panel * all * 2 * GEMM_PANEL;
  bf16_rows x;
  memset(tile, 0, rows * GEMM_PANEL * sizeof *tile);
  for (size_t at = 0; at < all; at += BF16_PAIRS) {
    const size_t pairs = all - at < BF16_PAIRS ? all - at : BF16_PAIRS;
    const uint16_t *const step = w + at * 2 * GEMM_PANEL;
    unpack_rows(g->a + m0 * g->lda + 2 * at, g->lda, pairs, rows, x);
    bf16_step(x, step, pairs, rows, tile);
    bf16_step(x, step + GEMM_PANEL, pairs, rows, tile + GEMM_PANEL / 2);
  }
}

typedef void bf16_sums_fn(const tarei_bf16_gemm *g, size_t m0, size_t panel, float *tile);

static void TAREI_K(bf16_block)(const tarei_bf16_gemm *g, size_t m0, size_t panel, size_t rows,
                                bf16_sums_fn *sums) {
  _Alignas(64) float tile[BF16_ROWS * GEMM_PANEL];
  const float_mode before = flush_begin();
  sums(g, m0, panel, tile);
  if (!flush_end(before)) {
    for (size_t i = 0; i < rows; i++) {
      tarei_bf16_sums(g, m0 + i, panel, tile + i * GEMM_PANEL);
    }
  }
  const tarei_tile done = gemm_tile(tile, m0, rows, g->n, panel);
  TAREI_K(tarei_epilogue)(&g->epilogue, &done);
}

#define DEFINE_BF16_BLOCK(rows)                                                       \
  static __attribute__((noinline)) void TAREI_K(bf16_sums_##rows)(                    \
      const tarei_bf16_gemm *g, size_t m0, size_t panel, float *tile) {               \
    bf16_block_sums(g, m0, panel, rows, tile);                                        \
  }                                                                                   \
  static void TAREI_K(bf16_block_##rows)(const void *gemm, size_t m0, size_t panel) { \
    TAREI_K(bf16_block)(gemm, m0, panel, rows, TAREI_K(bf16_sums_##rows));            \
  }
BF16_EACH_HEIGHT(DEFINE_BF16_BLOCK)
#undef DEFINE_BF16_BLOCK

void TAREI_K(tarei_k_bf16_gemm_bf16_16)(const tarei_bf16_gemm *g) {
#define BF16_BLOCK_OF(rows) TAREI_K(bf16_block_##rows),
  static gemm_block_fn *const by_height[BF16_ROWS] = {BF16_EACH_HEIGHT(BF16_BLOCK_OF)};
#undef BF16_BLOCK_OF
  const gemm_walk walk = {.gemm = g,
                          .m = g->m,
                          .panels = (g->n + GEMM_PANEL - 1) / GEMM_PANEL,
                          .row_bytes = g->k * sizeof *g->a,
                          .max_rows = BF16_ROWS,
                          .by_rows = by_height,
                          .panels_at_once = 1};
  gemm_walk_blocks(&walk);
}
