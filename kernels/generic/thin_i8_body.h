/* Few rows of floats by weights that are stored as bytes: each weight is widened in registers, once
 * for a block of rows. Instantiated once per ISA. */
#include "kernels/generic/gemm_walk.h"
#include "kernels/generic/v16.h"
#include "kernels/kernels.h"

/* Rows by one panel that the registers hold. */
#if TAREI_BYTES == 64
enum { THIN_ROWS = 12 };
#define THIN_EACH_HEIGHT(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12)
#else
enum { THIN_ROWS = 3 };
#define THIN_EACH_HEIGHT(X) X(1) X(2) X(3)
#endif

typedef struct thin_i8_sums {
  v16 left[THIN_ROWS], right[THIN_ROWS];
} thin_i8_sums;

/* Elements [first, end) of the sums, which have one scale for each column. */
TAREI_INLINE void thin_i8_multiply(const tarei_thin_gemm *g, thin_i8_sums *s, const float *a,
                                const int8_t *b, const float *scale, size_t first, size_t end,
                                const size_t rows) {
  const v16 left = v_load(scale), right = v_load(scale + TAREI_LANES);
  for (size_t k = first; k < end; k++) {
    const int8_t *const w = b + k * GEMM_PANEL;
    const v16 w_left = v_mul(i_to_float(i_load_s8(w)), left);
    const v16 w_right = v_mul(i_to_float(i_load_s8(w + TAREI_LANES)), right);
#pragma GCC unroll 12
    for (size_t i = 0; i < rows; i++) {
      const v16 x = v_set1(a[i * g->lda + k]);
      s->left[i] = v_fma(x, w_left, s->left[i]);
      s->right[i] = v_fma(x, w_right, s->right[i]);
    }
  }
}

TAREI_INLINE void thin_i8_block(const tarei_thin_gemm *g, size_t m0, size_t panel, const size_t rows) {
  float values[THIN_ROWS * GEMM_PANEL];
  const float *const a = g->a + m0 * g->lda;
  const int8_t *const b = g->b + panel * g->k * GEMM_PANEL;
  const float *scale = g->scale + panel * GEMM_PANEL;
  thin_i8_sums s;
#pragma GCC unroll 12
  for (size_t i = 0; i < rows; i++) {
    s.left[i] = s.right[i] = v_set1(0.0f);
  }
  for (size_t k = 0; k < g->k; k += g->block) {
    const size_t end = g->k - k < g->block ? g->k : k + g->block;
    thin_i8_multiply(g, &s, a, b, scale, k, end, rows);
    scale += g->ld_scale;
  }
#pragma GCC unroll 12
  for (size_t i = 0; i < rows; i++) {
    v_store(values + i * GEMM_PANEL, s.left[i]);
    v_store(values + i * GEMM_PANEL + TAREI_LANES, s.right[i]);
  }
  const tarei_tile tile = gemm_tile(values, m0, rows, g->n, panel);
  TAREI_K(tarei_epilogue)(&g->epilogue, &tile);
}

#define DEFINE_THIN_BLOCK(rows)                                                               \
  static void TAREI_K(thin_i8_block_##rows)(const tarei_thin_gemm *g, size_t m0, size_t panel) { \
    thin_i8_block(g, m0, panel, rows);                                                           \
  }
THIN_EACH_HEIGHT(DEFINE_THIN_BLOCK)
#undef DEFINE_THIN_BLOCK

/* Blocks of nearly equal height. */
void TAREI_K(tarei_k_thin_i8_f32s8_16)(const tarei_thin_gemm *g) {
  static void (*const by_height[THIN_ROWS])(const tarei_thin_gemm *, size_t, size_t) = {
#define BLOCK_OF(rows) TAREI_K(thin_i8_block_##rows),
      THIN_EACH_HEIGHT(BLOCK_OF)
#undef BLOCK_OF
  };
  const size_t blocks = (g->m + THIN_ROWS - 1) / THIN_ROWS;
  for (size_t panel = 0; panel * GEMM_PANEL < g->n; panel++) {
    for (size_t i = 0; i < blocks; i++) {
      const size_t m0 = g->m * i / blocks, m1 = g->m * (i + 1) / blocks;
      by_height[m1 - m0 - 1](g, m0, panel);
    }
  }
}
