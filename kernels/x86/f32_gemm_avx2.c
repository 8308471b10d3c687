/* Up to 6 rows by 16 columns, a stripe, in registers; one fused chain an output over ascending k.
 */
#if !defined(__AVX2__) || !defined(__FMA__)
#error "needs AVX2 and FMA"
#endif
#include <immintrin.h>

#include "kernels/generic/gemm_walk.h"
#include "kernels/generic/row_cursor.h"

#define TAREI_ISA_SUFFIX avx2

enum {
  MAX_ROWS = 6,
  NARROW_ROWS = 14, /* where a stripe has no more columns than a vector */
  MAX_VECTORS = 14,
  MAX_COLUMNS = 8, /* vectors side by side */
  LANES = 8,
  STRIPE = 2 * LANES, /* columns */
  STEP = GEMM_PANEL,  /* floats of a panel for one k */
};

typedef struct stripe_sums {
  __m256 v[MAX_VECTORS]; /* [row][column] */
} stripe_sums;

static const float *stripe_at(const tarei_f32_gemm *g, size_t stripe) {
  const size_t column = stripe * STRIPE;
  return g->b + column / GEMM_PANEL * g->k * STEP + column % GEMM_PANEL;
}

TAREI_STEP void stripe_steps(stripe_sums *s, row_cursor *a, const float *b, size_t panel,
                             size_t steps, const size_t rows, const size_t columns) {
  for (size_t k = 0; k < steps; k++) {
    __m256 w[MAX_COLUMNS];
#pragma GCC unroll 8
    for (size_t q = 0; q < columns; q++) {
      w[q] = _mm256_load_ps(b + q / 4 * panel + q % 4 * LANES);
    }
#pragma GCC unroll 14
    for (size_t i = 0; i < rows; i++) {
      const __m256 x = _mm256_broadcast_ss(row_cursor_row(a, i));
#pragma GCC unroll 8
      for (size_t q = 0; q < columns; q++) {
        s->v[i * columns + q] = _mm256_fmadd_ps(x, w[q], s->v[i * columns + q]);
      }
    }
    row_cursor_advance(a, rows);
    b += STEP;
  }
}

TAREI_INLINE void stripe_multiply(const tarei_f32_gemm *g, stripe_sums *s, size_t m0,
                                  const float *b, const size_t rows, const size_t columns) {
  const size_t parts = tarei_f32_gemm_parts(g), steps = tarei_f32_gemm_part(g), panel = g->k * STEP;
  const size_t apart = columns < 4 ? columns : 4; /* vectors of one panel */
#pragma GCC unroll 14
  for (size_t i = 0; i < rows * columns; i++) {
    s->v[i] = _mm256_setzero_ps();
  }
  for (size_t part = 0; part < parts; part++) {
    const float *const first = g->a + m0 * g->lda + part * g->part_step;
    row_cursor a = row_cursor_at(first, g->lda * sizeof *g->a);
    row_cursor_check(&a, rows, steps * sizeof *first);
    for (size_t q = 0; steps && q < columns; q += 4) {
      tarei_steps_read(b + q / 4 * panel, ((steps - 1) * STEP + apart * LANES) * sizeof *b);
    }
    stripe_steps(s, &a, b, panel, steps, rows, columns);
    b += steps * STEP;
  }
}

/* --- results ---------------------------------------------------------------------------------- */

/* Eight columns or the first of them. */
typedef struct column_lanes {
  __m256i mask;
  bool all;
} column_lanes;

TAREI_INLINE __m256 column_load(column_lanes l, const float *from) {
  return l.all ? _mm256_loadu_ps(from) : _mm256_maskload_ps(from, l.mask);
}

TAREI_INLINE void column_store(float *to, column_lanes l, __m256 v) {
  if (l.all) {
    _mm256_storeu_ps(to, v);
  } else {
    _mm256_maskstore_ps(to, l.mask, v);
  }
}

#define F32_MASK column_lanes
#define f32_load column_load
#define f32_store column_store
#include "kernels/x86/f32_finish.h"

TAREI_INLINE void stripe_finish_lanes(const tarei_epilogue *e, const __m256 *v, size_t m0,
                                      size_t n0, const column_lanes lanes, const size_t rows,
                                      const size_t columns, const bool short_act) {
  if (short_act) {
    finish_column_by_short_act(e, v, m0, n0, lanes, rows, columns);
  } else if (e->residual) {
    finish_column_with_residual(e, v, m0, n0, lanes, rows, columns);
  } else {
    finish_column(e, v, m0, n0, lanes, rows, columns);
  }
}

TAREI_INLINE void stripe_finish(const tarei_f32_gemm *g, const stripe_sums *s, size_t m0,
                                size_t stripe, const size_t rows, const size_t columns,
                                const bool short_act) {
  const tarei_epilogue e = g->epilogue; /* a copy: stores must not make it be read again */
  const __m256i each = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
#pragma GCC unroll 8
  for (size_t q = 0; q < columns; q++) {
    const size_t n0 = stripe * STRIPE + q * LANES;
    if (n0 + LANES <= g->n) {
      stripe_finish_lanes(&e, s->v + q, m0, n0, (column_lanes){.all = true}, rows, columns,
                          short_act);
    } else if (n0 < g->n) {
      const column_lanes some = {_mm256_cmpgt_epi32(_mm256_set1_epi32((int)(g->n - n0)), each),
                                 false};
      stripe_finish_lanes(&e, s->v + q, m0, n0, some, rows, columns, short_act);
    }
  }
}

TAREI_INLINE void stripe_finish_tile(const tarei_f32_gemm *g, const stripe_sums *s, size_t m0,
                                     size_t stripe, const size_t rows, const size_t columns) {
  const size_t width = columns < 2 ? 2 : columns, n0 = stripe * STRIPE, left = g->n - n0;
  _Alignas(64) float tile[MAX_VECTORS * 2 * LANES];
#pragma GCC unroll 14
  for (size_t i = 0; i < rows * columns; i++) {
    _mm256_store_ps(tile + (i / columns * width + i % columns) * LANES, s->v[i]);
  }
  const tarei_tile done = {.values = tile,
                           .ld = width * LANES,
                           .m0 = m0,
                           .rows = rows,
                           .n0 = n0,
                           .cols = left < columns * LANES ? left : columns * LANES};
  tarei_epilogue__avx2(&g->epilogue, &done);
}

/* --- blocks ----------------------------------------------------------------------------------- */

TAREI_INLINE void stripe_block(const tarei_f32_gemm *g, size_t m0, size_t stripe, const size_t rows,
                               const size_t columns) {
  stripe_sums s;
  stripe_multiply(g, &s, m0, stripe_at(g, stripe), rows, columns);
  if (finishes_in_registers(&g->epilogue)) {
    stripe_finish(g, &s, m0, stripe, rows, columns, false);
  } else {
    stripe_finish_tile(g, &s, m0, stripe, rows, columns);
  }
}

/* Apart from the others, since registers are assigned for a function as a whole. */
TAREI_INLINE void stripe_short_block(const tarei_f32_gemm *g, size_t m0, size_t stripe,
                                     const size_t rows, const size_t columns) {
  stripe_sums s;
  stripe_multiply(g, &s, m0, stripe_at(g, stripe), rows, columns);
  stripe_finish(g, &s, m0, stripe, rows, columns, true);
}

#define DEFINE_BLOCK(rows, columns)                                                 \
  static void TAREI_K(stripe_block_##rows##x##columns)(const void *gemm, size_t m0, \
                                                       size_t stripe) {             \
    stripe_block(gemm, m0, stripe, rows, columns);                                  \
  }
DEFINE_BLOCK(1, 2)
DEFINE_BLOCK(2, 2)
DEFINE_BLOCK(3, 2)
DEFINE_BLOCK(4, 2)
DEFINE_BLOCK(5, 2)
DEFINE_BLOCK(6, 2)
DEFINE_BLOCK(1, 4)
DEFINE_BLOCK(1, 8)
DEFINE_BLOCK(2, 4)
#define DEFINE_NARROW_BLOCK(rows) DEFINE_BLOCK(rows, 1)
GEMM_EACH_HEIGHT(DEFINE_NARROW_BLOCK)

#define DEFINE_SHORT_BLOCK(rows, columns)                                          \
  static void TAREI_K(short_block_##rows##x##columns)(const void *gemm, size_t m0, \
                                                      size_t stripe) {             \
    stripe_short_block(gemm, m0, stripe, rows, columns);                           \
  }
#define DEFINE_WIDE_SHORT_BLOCK(rows) DEFINE_SHORT_BLOCK(rows, 2)
GEMM_HEIGHTS_TO_6(DEFINE_WIDE_SHORT_BLOCK)
#define DEFINE_NARROW_SHORT_BLOCK(rows) DEFINE_SHORT_BLOCK(rows, 1)
GEMM_EACH_HEIGHT(DEFINE_NARROW_SHORT_BLOCK)

#define BLOCK(rows, columns) TAREI_K(stripe_block_##rows##x##columns)
static gemm_block_fn *const wide[MAX_ROWS] = {BLOCK(1, 2), BLOCK(2, 2), BLOCK(3, 2),
                                              BLOCK(4, 2), BLOCK(5, 2), BLOCK(6, 2)};
#define NARROW_BLOCK(rows) BLOCK(rows, 1),
static gemm_block_fn *const narrow[NARROW_ROWS] = {GEMM_EACH_HEIGHT(NARROW_BLOCK)};
#define WIDE_SHORT_BLOCK(rows) TAREI_K(short_block_##rows##x2),
static gemm_block_fn *const wide_short[MAX_ROWS] = {GEMM_HEIGHTS_TO_6(WIDE_SHORT_BLOCK)};
#define NARROW_SHORT_BLOCK(rows) TAREI_K(short_block_##rows##x1),
static gemm_block_fn *const narrow_short[NARROW_ROWS] = {GEMM_EACH_HEIGHT(NARROW_SHORT_BLOCK)};

/* One or two rows by several stripes at a time hide the latency of the multiplication. Returns the
 * stripes that this leaves to others, all but the first few. */
static size_t stripes_of_few_rows(const tarei_f32_gemm *g, size_t stripes) {
  size_t done = 0;
  for (; g->m == 1 && done + 4 <= stripes; done += 4) {
    BLOCK(1, 8)(g, 0, done);
  }
  for (; g->m && g->m <= 2 && done + 2 <= stripes; done += 2) {
    if (g->m == 1) {
      BLOCK(1, 4)(g, 0, done);
    } else {
      BLOCK(2, 4)(g, 0, done);
    }
  }
  return done;
}

void tarei_k_f32_gemm_f32_6x16__avx2(const tarei_f32_gemm *g) {
  const size_t stripes = (g->n + STRIPE - 1) / STRIPE, row_bytes = g->k * sizeof(float);
  const bool half = (g->n - 1) % STRIPE < LANES; /* of the last stripe */
  const bool short_act = finishes_by_short_act(&g->epilogue);
  const size_t first = stripes_of_few_rows(g, stripes), end = half ? stripes - 1 : stripes;
  const gemm_walk whole = {g, g->m, end, row_bytes, MAX_ROWS, short_act ? wide_short : wide,
                           1, first};
  gemm_walk_blocks(&whole);
  if (end < stripes && first < stripes) {
    const gemm_walk rest = {
        g, g->m, stripes, row_bytes, NARROW_ROWS, short_act ? narrow_short : narrow, 1, end};
    gemm_walk_blocks(&rest);
  }
}
