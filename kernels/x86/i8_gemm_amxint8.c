/* u8 x s8 by AMX tiles: two by two tiles of 16 x 16 sums, 64 k at a time. The tiles hold 32 rows by
 * one panel; the packed layout of the panels is that of the tiles, 128 bytes between rows. */
#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512VL__) || \
    !defined(__AVX512DQ__) || !defined(__AMX_TILE__) || !defined(__AMX_INT8__)
#error "needs AVX-512 F, BW, VL, DQ and AMX"
#endif
#include <immintrin.h>
#include <string.h>

#include "kernels/generic/gemm_walk.h"

enum {
  TILE = 16,              /* rows of a tile, columns of its sums */
  TILE_K = 64,            /* bytes of a tile's row */
  MAX_ROWS = 2 * TILE,
  FEWEST_ROWS = 8,        /* below, loading the tiles takes longer than multiplying by vectors */
  PANEL_STEP = GEMM_PANEL * 4,
  A_BYTES = 512 * 1024,   /* rows that stay in L2 while all panels pass */
};

/* The compiler does not know that tiles are loaded from memory. */
#define STORES_DONE() __asm__ volatile("" ::: "memory")

/* What LDTILECFG reads. */
typedef struct tile_config {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
} tile_config;

/* One panel against some rows: the whole steps of 64 k in place, what is left from copies. */
typedef struct strip {
  const tarei_i8_gemm *gemm;
  size_t panel;
  const int8_t *b;
  size_t steps, rest;     /* whole steps, k beyond them */
  const int8_t *b_rest;   /* padded with zeros to a whole step */
} strip;

/* All rows in blocks of nearly one height, of which [first, end) are at hand. */
typedef struct row_cut {
  size_t blocks, height, first, end;
} row_cut;

/* Tiles 0..3 sums, 4 and 5 rows, 6 and 7 columns. */
static void configure(size_t rows) {
  const size_t first = rows < TILE ? rows : TILE;
  const size_t second = rows > TILE ? rows - TILE : 1;
  tile_config c = {.palette = 1};
  for (int t = 0; t < 8; t++) {
    c.row_bytes[t] = TILE_K;
    c.rows[t] = TILE;
  }
  c.rows[0] = c.rows[1] = c.rows[4] = (uint8_t)first;
  c.rows[2] = c.rows[3] = c.rows[5] = (uint8_t)second;
  _tile_loadconfig(&c);
}

TAREI_INLINE void step(const uint8_t *a, size_t lda, const int8_t *b, const bool both) {
  _tile_loadd(6, b, PANEL_STEP);
  _tile_loadd(4, a, lda);
  _tile_loadd(7, b + TILE_K, PANEL_STEP);
  _tile_dpbusd(0, 4, 6);
  _tile_dpbusd(1, 4, 7);
  if (both) {
    _tile_loadd(5, a + TILE * lda, lda);
    _tile_dpbusd(2, 5, 6);
    _tile_dpbusd(3, 5, 7);
  }
}

/* The last k of the rows, padded with zeros. */
static void copy_rest(const strip *s, const uint8_t *a, size_t rows, uint8_t *to) {
  const __mmask64 mask = (1ull << s->rest) - 1;
  for (size_t i = 0; i < rows; i++) {
    _mm512_store_si512(to + i * TILE_K, _mm512_maskz_loadu_epi8(mask, a + i * s->gemm->lda));
  }
}

TAREI_INLINE void sum_rows(const strip *s, const uint8_t *a, size_t rows, int32_t *sums,
                           const bool both) {
  const size_t lda = s->gemm->lda;
  const int8_t *b = s->b;
  _tile_zero(0);
  _tile_zero(1);
  if (both) {
    _tile_zero(2);
    _tile_zero(3);
  }
  for (size_t k = 0; k < s->steps; k++) {
    step(a, lda, b, both);
    a += TILE_K;
    b += TILE * PANEL_STEP;
  }
  if (s->rest) {
    _Alignas(64) uint8_t rest[MAX_ROWS * TILE_K];
    copy_rest(s, a, rows, rest);
    STORES_DONE();
    step(rest, TILE_K, s->b_rest, both);
  }
  const size_t stride = GEMM_PANEL * sizeof *sums;
  _tile_stored(0, sums, stride);
  _tile_stored(1, sums + TILE, stride);
  if (both) {
    _tile_stored(2, sums + TILE * GEMM_PANEL, stride);
    _tile_stored(3, sums + TILE * GEMM_PANEL + TILE, stride);
  }
}

static void finish(const strip *s, size_t m0, size_t rows, int32_t *sums) {
  float *const values = (float *)(void *)sums;
  const int32_t *const add = s->gemm->add + s->panel * GEMM_PANEL;
  for (size_t half = 0; half < GEMM_PANEL; half += TILE) {
    const __m512i base = _mm512_loadu_si512(add + half);
    for (size_t i = 0; i < rows; i++) {
      const size_t at = i * GEMM_PANEL + half;
      const __m512i sum = _mm512_add_epi32(_mm512_load_si512(sums + at), base);
      _mm512_store_ps(values + at, _mm512_cvtepi32_ps(sum));
    }
  }
  const tarei_tile done = gemm_tile(values, m0, rows, s->gemm->n, s->panel);
  tarei_epilogue__avx512(&s->gemm->epilogue, &done);
}

/* Sums `height` rows from m0 on, of which the first `rows` are wanted. */
static void block(const strip *s, size_t m0, size_t height, size_t rows) {
  _Alignas(64) int32_t sums[MAX_ROWS * GEMM_PANEL];
  const uint8_t *const a = s->gemm->a + m0 * s->gemm->lda;
  if (height > TILE) {
    sum_rows(s, a, height, sums, true);
  } else {
    sum_rows(s, a, height, sums, false);
  }
  finish(s, m0, rows, sums);
}

/* Configuring the tiles takes as long as a block of 256 k: all blocks have one height, and one that
 * needs a row less computes the first row of the next. */
static void panel_of(const tarei_i8_gemm *g, size_t panel, const row_cut *cut) {
  _Alignas(64) int8_t b_rest[TILE * PANEL_STEP] = {0};
  const size_t groups = (g->k + 3) / 4;
  strip s = {.gemm = g,
             .panel = panel,
             .b = g->b + panel * groups * PANEL_STEP,
             .steps = g->k / TILE_K,
             .rest = g->k % TILE_K,
             .b_rest = b_rest};
  if (s.rest) {
    const size_t whole = s.steps * TILE;
    memcpy(b_rest, s.b + whole * PANEL_STEP, (groups - whole) * PANEL_STEP);
    STORES_DONE();
  }
  for (size_t q = cut->first; q < cut->end; q++) {
    const size_t m0 = g->m * q / cut->blocks;
    block(&s, m0, cut->height, g->m * (q + 1) / cut->blocks - m0);
  }
}

void tare_k_i8_gemm_u8s8_32x32__amxint8(const tarei_i8_gemm *g) {
  if (g->m < FEWEST_ROWS) {
    tare_k_i8_gemm_u8s8_14x32__avx512vnni(g);
    return;
  }
  const size_t panels = (g->n + GEMM_PANEL - 1) / GEMM_PANEL;
  const size_t blocks = (g->m + MAX_ROWS - 1) / MAX_ROWS;
  const size_t fitting = A_BYTES / (g->k * MAX_ROWS + 1);
  const size_t groups = fitting ? (blocks + fitting - 1) / fitting : blocks;
  row_cut cut = {.blocks = blocks, .height = (g->m + blocks - 1) / blocks};
  configure(cut.height);
  for (size_t group = 0; group < groups; group++) {
    cut.first = blocks * group / groups;
    cut.end = blocks * (group + 1) / groups;
    for (size_t p = 0; p < panels; p++) {
      panel_of(g, p, &cut);
    }
  }
  _tile_release();
}
