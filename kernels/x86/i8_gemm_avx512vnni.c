/* u8 x s8 by vpdpbusd: up to 14 rows by 32 columns in registers, K never cut. */
#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512VL__) || \
    !defined(__AVX512DQ__) || !defined(__AVX512VNNI__)
#error "needs AVX-512 F, BW, VL, DQ and VNNI"
#endif
#include <immintrin.h>
#include <string.h>

#include "kernels/generic/gemm_walk.h"
#include "kernels/generic/row_cursor.h"

enum {
  MAX_ROWS = 14,
  MAX_PANELS = 4,
  MAX_VECTORS = 28,
  STEP = GEMM_PANEL * 4,  /* bytes of a panel for four k */
  PREFETCH_BYTES = 8192,  /* for weights beyond L2; harms a single row */
};

/* gcc 12 spills the accumulators around the intrinsic, which halves the speed. */
#define DOT(acc, a, b) __asm__("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(a), "v"(b))

typedef struct sums {
  __m512i v[MAX_VECTORS]; /* [row][panel][half] */
} sums;

TAREI_INLINE void step(sums *s, const row_cursor *a, const int8_t *b, size_t panel_bytes,
                       const size_t rows, const size_t panels) {
  __m512i w[2 * MAX_PANELS];
#pragma GCC unroll 8
  for (size_t q = 0; q < 2 * panels; q++) {
    const int8_t *const at = b + q / 2 * panel_bytes + q % 2 * 64;
    w[q] = _mm512_load_si512(at);
    if (rows > 1) {
      _mm_prefetch((const char *)at + PREFETCH_BYTES, _MM_HINT_T0);
    }
  }
#pragma GCC unroll 14
  for (size_t i = 0; i < rows; i++) {
    int32_t four;
    memcpy(&four, row_cursor_row(a, i), sizeof four);
    const __m512i x = _mm512_set1_epi32(four);
#pragma GCC unroll 8
    for (size_t q = 0; q < 2 * panels; q++) {
      DOT(s->v[i * 2 * panels + q], x, w[q]);
    }
  }
}

TAREI_INLINE void block(const tarei_i8_gemm *g, size_t m0, size_t panel, const size_t rows,
                        const size_t panels) {
  _Alignas(64) float tile[MAX_VECTORS * 16];
  const size_t steps = (g->k + 3) / 4;
  const size_t panel_bytes = steps * STEP;
  const int8_t *b = g->b + panel * panel_bytes;
  row_cursor a = row_cursor_at(g->a + m0 * g->lda, g->lda);
  sums s;
#pragma GCC unroll 28
  for (size_t i = 0; i < rows * 2 * panels; i++) {
    s.v[i] = _mm512_setzero_si512();
  }
  for (size_t k = 0; k < steps; k++) {
    step(&s, &a, b, panel_bytes, rows, panels);
    row_cursor_advance(&a, rows);
    b += STEP;
  }
  const int32_t *const add = g->add + panel * GEMM_PANEL;
#pragma GCC unroll 8
  for (size_t q = 0; q < 2 * panels; q++) {
    const __m512i base = _mm512_loadu_si512(add + 16 * q);
#pragma GCC unroll 14
    for (size_t i = 0; i < rows; i++) {
      const __m512i sum = _mm512_add_epi32(s.v[i * 2 * panels + q], base);
      float *const to = tile + ((q / 2 * rows + i) * 2 + q % 2) * 16;
      _mm512_store_ps(to, _mm512_cvtepi32_ps(sum));
    }
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
DEFINE_BLOCK(2, 2)
DEFINE_BLOCK(3, 2)
DEFINE_BLOCK(4, 2)
DEFINE_BLOCK(5, 2)
DEFINE_BLOCK(6, 2)

static gemm_block_fn *const one_panel[MAX_ROWS] = {
    block_1x1, block_2x1, block_3x1,  block_4x1,  block_5x1,  block_6x1,  block_7x1,
    block_8x1, block_9x1, block_10x1, block_11x1, block_12x1, block_13x1, block_14x1};

/* For few rows several panels at a time hide the latency of vpdpbusd. */
static const struct {
  gemm_block_fn *block;
  size_t panels;
} few_rows[] = {{block_1x4, 4}, {block_2x2, 2}, {block_3x2, 2},
                {block_4x2, 2}, {block_5x2, 2}, {block_6x2, 2}};
enum { N_FEW_ROWS = sizeof few_rows / sizeof *few_rows };

static void gemm_of_few_rows(const tarei_i8_gemm *g, size_t panels) {
  const size_t at_once = few_rows[g->m - 1].panels;
  size_t p = 0;
  for (; p + at_once <= panels; p += at_once) {
    few_rows[g->m - 1].block(g, 0, p);
  }
  for (; p < panels; p++) {
    one_panel[g->m - 1](g, 0, p);
  }
}

void tare_k_i8_gemm_u8s8_14x32__avx512vnni(const tarei_i8_gemm *g) {
  const size_t panels = (g->n + GEMM_PANEL - 1) / GEMM_PANEL;
  if (g->m >= 1 && g->m <= N_FEW_ROWS) {
    gemm_of_few_rows(g, panels);
    return;
  }
  const gemm_walk walk = {g, g->m, panels, g->k, MAX_ROWS, one_panel};
  gemm_walk_blocks(&walk);
}
