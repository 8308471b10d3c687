/* Conversion to bf16, and products of it by fused multiply-adds of floats. Instantiated once per
 * ISA. */
#include <string.h>

#include "kernels/generic/bf16_sums.h"
#include "kernels/generic/gemm_walk.h"
#include "kernels/generic/round_bf16.h"
#include "kernels/transpose.h"

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
TAREI_INLINE void to_bf16_row(const float *x, size_t k, uint16_t *out) {
  size_t i = 0;
  for (; i + TAREI_LANES <= k; i += TAREI_LANES) {
    i_store_u16(out + i, v_to_bf16(v_load(x + i)));
  }
  if (i < k) {
    i_store_bf16_part(out + i, v_to_bf16(v_load_part(x + i, k - i)), k - i);
  }
}

void TAREI_K(tarei_k_to_bf16_f32bf16_16)(const float *x, size_t ldx, size_t m, size_t k,
                                         uint16_t *out, size_t ldo) {
  for (size_t i = 0; i < m; i++) {
    to_bf16_row(x + i * ldx, k, out + i * ldo);
  }
}

/* --- packing ---------------------------------------------------------------------------------- */
enum { BF16_TURNED = 128 }; /* k at a time */

/* Elements of two rows as pairs; without a second row, with zeros. */
TAREI_INLINE v16i bf16_pairs(const float *first, const float *second, size_t n) {
  const v16i low = v_to_bf16(v_load_n(first, n));
  return second ? i_add(low, i_shift_left(v_to_bf16(v_load_n(second, n)), 16)) : low;
}

TAREI_INLINE void pack_straight(const float *w, size_t ldw, size_t k, size_t columns,
                                uint16_t *packed) {
  for (size_t i = 0; i < k; i += 2) {
    const float *const first = w + i * ldw, *const second = i + 1 < k ? first + ldw : NULL;
    for (size_t j = 0; j < GEMM_PANEL; j += TAREI_LANES) {
      const size_t n = columns > j ? lanes_left(j, columns) : 0;
      const v16i pairs = n ? bf16_pairs(first + j, second ? second + j : NULL, n) : i_set1(0);
      v_store((void *)(packed + i * GEMM_PANEL + 2 * j), i_as_float(pairs));
    }
  }
}

/* The columns of the panel are rows of w: rounded, their pairs of k are transposed. */
TAREI_INLINE void pack_turned(const float *w, size_t ldw, size_t k, size_t columns,
                              uint16_t *packed) {
  _Alignas(64) uint16_t rows[GEMM_PANEL * BF16_TURNED] = {0};
  tarei_transpose_fn *const turn = tarei_transpose_of(2 * sizeof *rows);
  for (size_t i = 0; i < k; i += BF16_TURNED) {
    const size_t steps = k - i < BF16_TURNED ? k - i : BF16_TURNED;
    for (size_t j = 0; j < columns; j++) {
      to_bf16_row(w + j * ldw + i, steps, rows + j * BF16_TURNED);
    }
    turn(rows, BF16_TURNED / 2, packed + i * GEMM_PANEL, GEMM_PANEL, (steps + 1) / 2, GEMM_PANEL);
  }
}

void TAREI_K(tarei_k_bf16_pack_f32bf16_16)(const float *w, size_t ldw, bool transposed, size_t k,
                                           size_t n, uint16_t *packed) {
  for (size_t j = 0; j < n; j += GEMM_PANEL) {
    const size_t columns = n - j < GEMM_PANEL ? n - j : GEMM_PANEL;
    if (transposed) {
      pack_turned(w + j * ldw, ldw, k, columns, packed);
    } else {
      pack_straight(w + j, ldw, k, columns, packed);
    }
    packed += (k + k % 2) * GEMM_PANEL;
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
