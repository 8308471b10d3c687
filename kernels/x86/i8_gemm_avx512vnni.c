/* u8 x s8 by vpdpbusd: up to 14 rows by 32 columns in registers, K never cut. */
#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512VL__) || \
    !defined(__AVX512DQ__) || !defined(__AVX512VNNI__)
#error "needs AVX-512 F, BW, VL, DQ and VNNI"
#endif
#include <immintrin.h>
#include <string.h>

#include "kernels/generic/gemm_walk.h"
#include "kernels/generic/row_cursor.h"
#include "kernels/x86/i8_finish.h"

enum {
  MAX_ROWS = 14,
  MAX_PANELS = 4,
  MAX_VECTORS = 28,
  STEP = GEMM_PANEL * 4,  /* bytes of a panel for four k */
  PREFETCH_BYTES = 8192,  /* for weights beyond L2; harms a single row */
};

/* gcc 12 spills the accumulators around the intrinsic, which halves the speed. */
#define DOT(acc, a, b) __asm__("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(a), "v"(b))

/* What the blocks of one call share. */
typedef struct product {
  const tarei_i8_gemm *gemm;
  tarei_i8_finish_fn *finish;
} product;

typedef struct sums {
  __m512i v[MAX_VECTORS]; /* [row][panel][half] */
} sums;

/* Four k, `ahead` steps beyond the place of the cursors. */
TAREI_INLINE void step(sums *s, const row_cursor *a, const int8_t *b, size_t panel_bytes,
                       const size_t ahead, const size_t rows, const size_t panels) {
  __m512i w[2 * MAX_PANELS];
#pragma GCC unroll 8
  for (size_t q = 0; q < 2 * panels; q++) {
    const int8_t *const at = b + q / 2 * panel_bytes + q % 2 * 64 + ahead * STEP;
    w[q] = _mm512_load_si512(at);
    if (rows > 1) {
      _mm_prefetch((const char *)at + PREFETCH_BYTES, _MM_HINT_T0);
    }
  }
#pragma GCC unroll 14
  for (size_t i = 0; i < rows; i++) {
    int32_t four;
    memcpy(&four, (const char *)row_cursor_row(a, i) + 4 * ahead, sizeof four);
    const __m512i x = _mm512_set1_epi32(four);
#pragma GCC unroll 8
    for (size_t q = 0; q < 2 * panels; q++) {
      DOT(s->v[i * 2 * panels + q], x, w[q]);
    }
  }
}

/* The sums pass through memory on their way out: stores and loads go beside the multiplications,
 * and one routine serves blocks of all heights. */
TAREI_INLINE void block(const product *p, size_t m0, size_t panel, const size_t rows,
                        const size_t panels) {
  _Alignas(64) int32_t out[MAX_VECTORS * 16];
  const tarei_i8_gemm *const g = p->gemm;
  const size_t steps = (g->k + 3) / 4;
  const size_t panel_bytes = steps * STEP;
  const int8_t *b = g->b + panel * panel_bytes;
  row_cursor a = row_cursor_at(g->a + m0 * g->lda, g->lda);
  sums s;
#pragma GCC unroll 28
  for (size_t i = 0; i < rows * 2 * panels; i++) {
    s.v[i] = _mm512_loadu_si512(g->add + panel * GEMM_PANEL + i % (2 * panels) * 16);
  }
  for (size_t k = 0; k < steps / 2; k++) {
    step(&s, &a, b, panel_bytes, 0, rows, panels);
    step(&s, &a, b, panel_bytes, 1, rows, panels);
    row_cursor_advance_by(&a, rows, 8);
    b += 2 * STEP;
  }
  if (steps % 2) {
    step(&s, &a, b, panel_bytes, 0, rows, panels);
  }
#pragma GCC unroll 28
  for (size_t i = 0; i < rows * 2 * panels; i++) {
    const size_t row = i / (2 * panels);
    const size_t q = i % (2 * panels);
    _mm512_store_si512(out + ((q / 2 * rows + row) * 2 + q % 2) * 16, s.v[i]);
  }
  for (size_t q = 0; q < panels; q++) {
    p->finish(g, out + q * rows * GEMM_PANEL, m0, rows, panel + q);
  }
}

#define DEFINE_BLOCK(rows, panels)                                                       \
  static void block_##rows##x##panels(const void *p, size_t m0, size_t panel) {       \
    block(p, m0, panel, rows, panels);                                                   \
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

static void product_of_few_rows(const product *p, size_t panels) {
  const size_t m = p->gemm->m;
  const size_t at_once = few_rows[m - 1].panels;
  size_t panel = 0;
  for (; panel + at_once <= panels; panel += at_once) {
    few_rows[m - 1].block(p, 0, panel);
  }
  for (; panel < panels; panel++) {
    one_panel[m - 1](p, 0, panel);
  }
}

static void multiply(const product *p) {
  const tarei_i8_gemm *const g = p->gemm;
  const size_t panels = (g->n + GEMM_PANEL - 1) / GEMM_PANEL;
  if (g->m >= 1 && g->m <= N_FEW_ROWS) {
    product_of_few_rows(p, panels);
    return;
  }
  const gemm_walk walk = {p, g->m, panels, g->k, MAX_ROWS, one_panel};
  gemm_walk_blocks(&walk);
}

void tare_k_i8_gemm_u8s8_14x32__avx512vnni(const tarei_i8_gemm *g) {
  multiply(&(product){g, tarei_i8_finish__avx512});
}

void tare_k_i8_gemm_u8s8_14x32__avx512vbmi(const tarei_i8_gemm *g) {
  multiply(&(product){g, tarei_i8_finish__avx512vbmi});
}
