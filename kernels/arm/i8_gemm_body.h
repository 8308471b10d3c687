/* u8 x s8 by dot products of four bytes: six rows by half a panel in registers. Before inclusion:
 *   DOT(sum, x, w): adds the products of bytes x less X_ZERO and weights w to four sums
 *   X_ZERO: 0 or 128
 *   TAREI_ISA_SUFFIX. */
#include <arm_neon.h>
#include <string.h>

#include "kernels/generic/gemm_walk.h"
#include "kernels/generic/row_cursor.h"

enum { MAX_ROWS = 6, VECTORS = 4, HALF = GEMM_PANEL / 2, STEP = GEMM_PANEL * 4 };

/* What is added to the sums of the panel at hand: g->add, and what DOT left out. */
typedef struct panel_add {
  size_t panel;
  bool known;
  int32_t add[GEMM_PANEL];
} panel_add;

typedef struct dot_gemm {
  const tarei_i8_gemm *g;
  panel_add *at_hand;
} dot_gemm;

TAREI_INLINE size_t panel_bytes(const tarei_i8_gemm *g) {
  return (g->k + 3) / 4 * STEP;
}

static void sum_panel(const tarei_i8_gemm *g, size_t panel, panel_add *to) {
  const int8_t *const b = g->b + panel * panel_bytes(g);
  for (size_t n = 0; n < GEMM_PANEL; n += 4) {
    int32x4_t sum = vdupq_n_s32(0);
    for (size_t at = n * 4; X_ZERO && at < panel_bytes(g); at += STEP) {
      sum = vdotq_s32(sum, vdupq_n_s8(1), vld1q_s8(b + at));
    }
    const int32x4_t add = vld1q_s32(g->add + panel * GEMM_PANEL + n);
    vst1q_s32(to->add + n, vmlaq_n_s32(add, sum, X_ZERO));
  }
  to->panel = panel;
  to->known = true;
}

TAREI_INLINE void i8_dot_half_panel(const tarei_i8_gemm *g, size_t m0, const int8_t *b,
                                    const size_t rows, const int32_t *add, float *tile) {
  row_cursor a = row_cursor_at(g->a + m0 * g->lda, g->lda);
  int32x4_t sums[MAX_ROWS * VECTORS];
#pragma GCC unroll 24
  for (size_t i = 0; i < rows * VECTORS; i++) {
    sums[i] = vld1q_s32(add + i % VECTORS * 4);
  }
  for (size_t k = 0; k < g->k; k += 4) {
    const int8x16x4_t w = vld1q_s8_x4(b);
#pragma GCC unroll 6
    for (size_t i = 0; i < rows; i++) {
      uint32_t four;
      memcpy(&four, row_cursor_row(&a, i), sizeof four);
      const uint8x16_t x = vreinterpretq_u8_u32(vdupq_n_u32(four));
#pragma GCC unroll 4
      for (size_t q = 0; q < VECTORS; q++) {
        sums[i * VECTORS + q] = DOT(sums[i * VECTORS + q], x, w.val[q]);
      }
    }
    row_cursor_advance(&a, rows);
    b += STEP;
  }
#pragma GCC unroll 24
  for (size_t i = 0; i < rows * VECTORS; i++) {
    vst1q_f32(tile + i / VECTORS * GEMM_PANEL + i % VECTORS * 4, vcvtq_f32_s32(sums[i]));
  }
}

TAREI_INLINE void i8_dot_block(const dot_gemm *d, size_t m0, size_t panel, const size_t rows) {
  _Alignas(64) float tile[MAX_ROWS * GEMM_PANEL];
  const tarei_i8_gemm *const g = d->g;
  const int8_t *const b = g->b + panel * panel_bytes(g);
  if (!d->at_hand->known || d->at_hand->panel != panel) {
    sum_panel(g, panel, d->at_hand);
  }
  i8_dot_half_panel(g, m0, b, rows, d->at_hand->add, tile);
  i8_dot_half_panel(g, m0, b + HALF * 4, rows, d->at_hand->add + HALF, tile + HALF);
  const tarei_tile done = gemm_tile(tile, m0, rows, g->n, panel);
  tarei_epilogue__neon(&g->epilogue, &done);
}

#define DEFINE_BLOCK(rows)                                                          \
  static void TAREI_K(i8_block_##rows)(const void *gemm, size_t m0, size_t panel) { \
    i8_dot_block(gemm, m0, panel, rows);                                            \
  }
GEMM_HEIGHTS_TO_6(DEFINE_BLOCK)
#define BLOCK_OF(rows) TAREI_K(i8_block_##rows),

static void i8_dot_multiply(const tarei_i8_gemm *g) {
  static gemm_block_fn *const by_rows[MAX_ROWS] = {GEMM_HEIGHTS_TO_6(BLOCK_OF)};
  panel_add at_hand = {.known = false};
  const dot_gemm d = {g, &at_hand};
  const gemm_walk walk = {.gemm = &d,
                          .m = g->m,
                          .panels = (g->n + GEMM_PANEL - 1) / GEMM_PANEL,
                          .row_bytes = g->k,
                          .max_rows = MAX_ROWS,
                          .by_rows = by_rows,
                          .panels_at_once = 1};
  gemm_walk_blocks(&walk);
}
