/* Up to 14 rows by 32 columns in registers; one fused chain an output over ascending k. */
#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512VL__) || \
    !defined(__AVX512DQ__)
#error "needs AVX-512 F, BW, VL and DQ"
#endif
#include <immintrin.h>

#include "kernels/generic/gemm_walk.h"
#include "kernels/generic/quantize16.h"
#include "kernels/generic/row_cursor.h"

#define TAREI_ISA_SUFFIX avx512

enum {
  MAX_ROWS = 14,
  MAX_VECTORS = 28,
  MAX_COLUMNS = 8, /* vectors side by side */
  LANES = 16,
  NARROW = 8, /* columns of half a vector, which takes half the time on Zen 4 */
  STEP = 128, /* bytes of a panel for one k */
  UNROLL =
      2, /* steps a turn: fewer scalar instructions, which take ports from the multiplications */
  AHEAD = 8192, /* bytes between a single block and what it prefetches */
};

/* Else the compiler loads a weight once for each of a few rows. */
#define KEEP(v) __asm__("" : "+v"(v))
/* Of half a vector; the rest becomes 0. With intrinsics, gcc 12 spills the sums. */
#define FMA_NARROW(sum, x, w) __asm__("vfmadd231ps %t2, %t1, %t0" : "+v"(sum) : "v"(x), "v"(w))
#define FMA_NARROW_OF(sum, x, w) \
  __asm__("vfmadd231ps %2%{1to8%}, %t1, %t0" : "+v"(sum) : "v"(w), "m"(x))

typedef struct float_sums {
  __m512 v[MAX_VECTORS]; /* [row][column] */
} float_sums;

/* Weights that a block fetches while it multiplies. */
typedef struct prefetcher {
  const char *at;
  size_t step; /* bytes for one step */
} prefetcher;

/* All blocks of a panel together fetch the next one, so that memory beyond L2 is busy evenly. A
 * block that is alone runs ahead in its own panel. */
TAREI_INLINE prefetcher prefetcher_for(const tarei_f32_gemm *g, const char *b, size_t m0,
                                       size_t rows) {
  if (rows == g->m) {
    return (prefetcher){b + AHEAD, STEP};
  }
  const size_t panel_bytes = g->k * STEP;
  return (prefetcher){b + panel_bytes + panel_bytes * m0 / g->m, (STEP * rows + g->m - 1) / g->m};
}

TAREI_INLINE void prefetch(prefetcher *p) {
  _mm_prefetch(p->at, _MM_HINT_T0);
  _mm_prefetch(p->at + 64, _MM_HINT_T0);
  p->at += p->step;
}

/* `narrow`: only half of the last vector counts. */
TAREI_STEP void float_step(float_sums *s, const row_cursor *a, const char *b, size_t panel_bytes,
                           size_t k, const size_t rows, const size_t columns, const bool narrow) {
  __m512 w[MAX_COLUMNS];
#pragma GCC unroll 8
  for (size_t q = 0; q < columns; q++) {
    w[q] = _mm512_load_ps(b + k * STEP + q / 2 * panel_bytes + q % 2 * 64);
    if (rows > 1) {
      KEEP(w[q]);
    }
  }
#pragma GCC unroll 14
  for (size_t i = 0; i < rows; i++) {
    const float *const at = row_cursor_row(a, i);
    if (narrow && columns == 1) {
      FMA_NARROW_OF(s->v[i], at[k], w[0]);
      continue;
    }
    const __m512 x = _mm512_set1_ps(at[k]);
#pragma GCC unroll 8
    for (size_t q = 0; q < columns; q++) {
      __m512 *const sum = &s->v[i * columns + q];
      if (narrow && q + 1 == columns) {
        FMA_NARROW(*sum, x, w[q]);
      } else {
        *sum = _mm512_fmadd_ps(x, w[q], *sum);
      }
    }
  }
}

TAREI_INLINE void float_multiply(const tarei_f32_gemm *g, float_sums *s, size_t m0, const char *b,
                                 const size_t rows, const size_t columns, const bool narrow) {
  const size_t parts = tarei_f32_gemm_parts(g), steps = tarei_f32_gemm_part(g),
               panel_bytes = g->k * STEP;
  prefetcher next = prefetcher_for(g, b, m0, rows);
#pragma GCC unroll 28
  for (size_t i = 0; i < rows * columns; i++) {
    s->v[i] = _mm512_setzero_ps();
  }
  for (size_t part = 0; part < parts; part++) {
    const float *const first = g->a + m0 * g->lda + part * g->part_step;
    row_cursor a = row_cursor_at(first, g->lda * sizeof *g->a);
    row_cursor_check(&a, rows, steps * sizeof *first);
    for (size_t q = 0; q < columns; q += 2) {
      tarei_steps_read(b + q / 2 * panel_bytes, steps * STEP);
    }
    for (size_t k = 0; k < steps / UNROLL; k++) {
      if (columns <= 2 && rows > 1) {
        prefetch(&next);
        prefetch(&next);
      }
      float_step(s, &a, b, panel_bytes, 0, rows, columns, narrow);
      float_step(s, &a, b, panel_bytes, 1, rows, columns, narrow);
      row_cursor_advance_by(&a, rows, UNROLL * sizeof(float));
      b += UNROLL * STEP;
    }
    if (steps % UNROLL) {
      float_step(s, &a, b, panel_bytes, 0, rows, columns, narrow);
      b += STEP;
    }
  }
}

#define F32_MASK __mmask16
#define f32_load _mm512_maskz_loadu_ps
#define f32_store _mm512_mask_storeu_ps
#include "kernels/x86/f32_finish.h"

TAREI_INLINE void finish(const tarei_f32_gemm *g, const float_sums *s, size_t m0, size_t panel,
                         const size_t rows, const size_t columns, const bool short_act) {
  const tarei_epilogue e = g->epilogue; /* a copy: stores must not make it be read again */
#pragma GCC unroll 8
  for (size_t q = 0; q < columns; q++) {
    const size_t n0 = panel * GEMM_PANEL + q * LANES;
    if (n0 < g->n) {
      const size_t left = g->n - n0;
      const __mmask16 mask = left < LANES ? (__mmask16)((1u << left) - 1u) : 0xffff;
      if (short_act) {
        finish_column_by_short_act(&e, s->v + q, m0, n0, mask, rows, columns);
      } else if (e.residual) {
        finish_column_with_residual(&e, s->v + q, m0, n0, mask, rows, columns);
      } else {
        finish_column(&e, s->v + q, m0, n0, mask, rows, columns);
      }
    }
  }
}

static bool finishes_as_bytes(const tarei_epilogue *e) {
  return !e->out_f32 && !e->upper && !e->row_mult && !e->residual && !e->residual_u8 && !e->table &&
         only_bounds(e->act);
}

/* Bytes of what needs no more than a bias and bounds. */
TAREI_INLINE void finish_floats_as_bytes(const tarei_f32_gemm *g, const float_sums *s, size_t m0,
                                         size_t panel, const size_t rows, const size_t columns) {
  const tarei_epilogue e = g->epilogue; /* a copy: stores must not make it be read again */
  const float_bounds bounds = float_bounds_of(&e, true);
  const quantizer to_bytes = quantizer_for(e.inv_scale, e.zero_point);
#pragma GCC unroll 8
  for (size_t q = 0; q < columns; q++) {
    const size_t n0 = panel * GEMM_PANEL + q * LANES;
    const v16m mask = m_first(g->n - n0 < LANES ? g->n - n0 : LANES);
    const __m512 bias = e.bias ? f32_load(mask, e.bias + n0) : f32_set1(-0.0f);
    uint8_t *out = e.out_u8 + m0 * e.ld_u8 + n0;
#pragma GCC unroll 14
    for (size_t i = 0; i < rows; i++) {
      const __m512 f = float_bounded(bounds, f32_add(s->v[i * columns + q], bias));
      _mm_mask_storeu_epi8(out, mask, _mm512_cvtepi32_epi8(v_quantize(&to_bytes, f)));
      out += e.ld_u8;
    }
  }
}

TAREI_INLINE void finish_tiles(const tarei_f32_gemm *g, const float_sums *s, size_t m0,
                               size_t panel, const size_t rows, const size_t columns) {
  _Alignas(64) float tile[MAX_VECTORS * LANES];
  const size_t width = columns < 2 ? 1 : 2;
#pragma GCC unroll 28
  for (size_t i = 0; i < rows * columns; i++) {
    const size_t row = i / columns, q = i % columns;
    _mm512_store_ps(tile + ((q / width * rows + row) * width + q % width) * LANES, s->v[i]);
  }
  for (size_t p = 0; p < columns / width; p++) {
    tarei_tile done = gemm_tile(tile + p * rows * GEMM_PANEL, m0, rows, g->n, panel + p);
    done.ld = width * LANES;
    tarei_epilogue__avx512(&g->epilogue, &done);
  }
}

TAREI_INLINE void float_block(const tarei_f32_gemm *g, size_t m0, size_t panel, const size_t rows,
                              const size_t columns, const bool narrow) {
  float_sums s;
  float_multiply(g, &s, m0, (const char *)g->b + panel * g->k * STEP, rows, columns, narrow);
  if (finishes_in_registers(&g->epilogue)) {
    finish(g, &s, m0, panel, rows, columns, false);
  } else {
    finish_tiles(g, &s, m0, panel, rows, columns);
  }
}

TAREI_INLINE void float_block_of_bytes(const tarei_f32_gemm *g, size_t m0, size_t panel,
                                       const size_t rows, const size_t columns) {
  float_sums s;
  float_multiply(g, &s, m0, (const char *)g->b + panel * g->k * STEP, rows, columns, false);
  finish_floats_as_bytes(g, &s, m0, panel, rows, columns);
}

TAREI_INLINE void float_short_block(const tarei_f32_gemm *g, size_t m0, size_t panel,
                                    const size_t rows, const size_t columns, const bool narrow) {
  float_sums s;
  float_multiply(g, &s, m0, (const char *)g->b + panel * g->k * STEP, rows, columns, narrow);
  finish(g, &s, m0, panel, rows, columns, true);
}

/* The last panel may hold fewer columns: half a vector less. Apart from the others, since registers
 * are assigned for a function as a whole. */
#define DEFINE_NARROW_BLOCK(rows, kind)                                                          \
  static __attribute__((noinline)) void kind##_narrow_##rows(const tarei_f32_gemm *g, size_t m0, \
                                                             size_t panel) {                     \
    if (g->n - panel * GEMM_PANEL <= NARROW) {                                                   \
      kind##_block(g, m0, panel, rows, 1, true);                                                 \
    } else {                                                                                     \
      kind##_block(g, m0, panel, rows, 2, true);                                                 \
    }                                                                                            \
  }
#define DEFINE_BLOCK(rows, kind)                                                        \
  static void TAREI_K(kind##_block_##rows)(const void *gemm, size_t m0, size_t panel) { \
    const tarei_f32_gemm *const g = gemm;                                               \
    const size_t left = g->n - panel * GEMM_PANEL;                                      \
    if (left <= NARROW || (left > LANES && left <= LANES + NARROW)) {                   \
      kind##_narrow_##rows(g, m0, panel);                                               \
    } else if (left <= LANES) {                                                         \
      kind##_block(g, m0, panel, rows, 1, false);                                       \
    } else {                                                                            \
      kind##_block(g, m0, panel, rows, 2, false);                                       \
    }                                                                                   \
  }
#define DEFINE_FLOAT_BLOCKS(rows) DEFINE_NARROW_BLOCK(rows, float) DEFINE_BLOCK(rows, float)
GEMM_EACH_HEIGHT(DEFINE_FLOAT_BLOCKS)
#undef DEFINE_FLOAT_BLOCKS
#define DEFINE_SHORT_BLOCKS(rows) \
  DEFINE_NARROW_BLOCK(rows, float_short) DEFINE_BLOCK(rows, float_short)
GEMM_EACH_HEIGHT(DEFINE_SHORT_BLOCKS)
#undef DEFINE_SHORT_BLOCKS
#undef DEFINE_BLOCK
#undef DEFINE_NARROW_BLOCK

#define DEFINE_BYTES_BLOCK(rows)                                              \
  static void float_bytes_##rows(const void *gemm, size_t m0, size_t panel) { \
    const tarei_f32_gemm *const g = gemm;                                     \
    if (g->n - panel * GEMM_PANEL <= LANES) {                                 \
      float_block_of_bytes(g, m0, panel, rows, 1);                            \
    } else {                                                                  \
      float_block_of_bytes(g, m0, panel, rows, 2);                            \
    }                                                                         \
  }
GEMM_EACH_HEIGHT(DEFINE_BYTES_BLOCK)
#undef DEFINE_BYTES_BLOCK

static gemm_block_fn *const short_by_rows[MAX_ROWS] = {
#define BLOCK_OF(rows) TAREI_K(float_short_block_##rows),
    GEMM_EACH_HEIGHT(BLOCK_OF)
#undef BLOCK_OF
};

static gemm_block_fn *const bytes_by_rows[MAX_ROWS] = {
#define BLOCK_OF(rows) float_bytes_##rows,
    GEMM_EACH_HEIGHT(BLOCK_OF)
#undef BLOCK_OF
};

static gemm_block_fn *const by_rows[MAX_ROWS] = {
#define BLOCK_OF(rows) TAREI_K(float_block_##rows),
    GEMM_EACH_HEIGHT(BLOCK_OF)
#undef BLOCK_OF
};

#define DEFINE_WIDE_BLOCK(rows, panels)                                                           \
  static void TAREI_K(float_block_##rows##x##panels)(const void *gemm, size_t m0, size_t panel) { \
    float_block(gemm, m0, panel, rows, 2 * (panels), false);                                      \
  }
DEFINE_WIDE_BLOCK(1, 4)
DEFINE_WIDE_BLOCK(2, 2)
DEFINE_WIDE_BLOCK(3, 2)
DEFINE_WIDE_BLOCK(4, 2)
DEFINE_WIDE_BLOCK(5, 2)
DEFINE_WIDE_BLOCK(6, 2)

/* For few rows several panels at a time hide the latency of the multiplication. */
static const struct {
  gemm_block_fn *block;
  size_t panels;
} few_rows[] = {{TAREI_K(float_block_1x4), 4}, {TAREI_K(float_block_2x2), 2},
                {TAREI_K(float_block_3x2), 2}, {TAREI_K(float_block_4x2), 2},
                {TAREI_K(float_block_5x2), 2}, {TAREI_K(float_block_6x2), 2}};
enum { N_FEW_ROWS = sizeof few_rows / sizeof *few_rows };

static void gemm_of_few_rows(const tarei_f32_gemm *g, size_t panels) {
  const size_t at_once = few_rows[g->m - 1].panels;
  size_t p = 0;
  for (; p + at_once <= panels; p += at_once) {
    few_rows[g->m - 1].block(g, 0, p);
  }
  for (; p < panels; p++) {
    by_rows[g->m - 1](g, 0, p);
  }
}

void tarei_k_f32_gemm_f32_14x32__avx512(const tarei_f32_gemm *g) {
  const size_t panels = (g->n + GEMM_PANEL - 1) / GEMM_PANEL;
  if (g->m >= 1 && g->m <= N_FEW_ROWS) {
    gemm_of_few_rows(g, panels);
    return;
  }
  const tarei_epilogue *const e = &g->epilogue;
  const gemm_walk walk = {.gemm = g,
                          .m = g->m,
                          .panels = panels,
                          .row_bytes = g->k * sizeof(float),
                          .max_rows = MAX_ROWS,
                          .by_rows = finishes_as_bytes(e)       ? bytes_by_rows
                                     : finishes_by_short_act(e) ? short_by_rows
                                                                : by_rows,
                          .panels_at_once = 1};
  gemm_walk_blocks(&walk);
}
