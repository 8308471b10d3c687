/* u8 x s8 by AMX tiles: two by two tiles of 16 x 16 sums, 64 k at a time. The tiles hold 32 rows by
 * one panel; the packed layout of the panels is that of the tiles, 128 bytes between rows. */
#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512VL__) || \
    !defined(__AVX512DQ__) || !defined(__AMX_TILE__) || !defined(__AMX_INT8__)
#error "needs AVX-512 F, BW, VL, DQ and AMX"
#endif
#include <immintrin.h>
#include <string.h>

#include "kernels/generic/gemm_walk.h"
#include "kernels/x86/i8_finish.h"

enum {
  TILE = 16,   /* rows of a tile, columns of its sums */
  TILE_K = 64, /* bytes of a tile's row */
  MAX_ROWS = 2 * TILE,
  FEWEST_ROWS = 8, /* below, loading the tiles takes longer than multiplying by vectors */
  FEWEST_K = 28,   /* likewise: tiles are 64 deep whatever k is */
  PANEL_STEP = GEMM_PANEL * 4,
  SUMS_STRIDE = GEMM_PANEL * 4,
  LINE = 64,
  A_BYTES = 512 * 1024, /* rows that stay in L2 while all panels pass */
};

/* The compiler does not know that tiles are loaded from memory. */
#define STORES_DONE() __asm__ volatile("" ::: "memory")

/* What LDTILECFG reads. */
typedef struct tile_config {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
} tile_config;

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

/* A block whose sums are stored but not finished: that is done while the tiles work on the next. */
typedef struct pending {
  const int32_t *sums;
  size_t m0, rows, panel;
} pending;

typedef struct amx_product {
  const tarei_i8_gemm *gemm;
  size_t blocks, height;                  /* of rows; the height of all */
  size_t steps, rest;                     /* whole steps of 64 k, k beyond them */
  int32_t (*sums)[MAX_ROWS * GEMM_PANEL]; /* two, used in turns */
  int turn;
  pending last;
} amx_product;

/* One panel; its last k are padded with zeros to a whole step. All its blocks together fetch the
 * panel behind it, some lines a step. */
typedef struct strip {
  size_t panel;
  const int8_t *b, *b_rest;
  const int8_t *ahead;
  size_t lines;
} strip;

TAREI_INLINE void amx_step(const uint8_t *a, size_t lda, const int8_t *b, const bool both) {
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
static void copy_rest(const amx_product *p, const uint8_t *a, uint8_t *to) {
  const __mmask64 mask = (1ull << p->rest) - 1;
  for (size_t i = 0; i < p->height; i++) {
    _mm512_store_si512(to + i * TILE_K, _mm512_maskz_loadu_epi8(mask, a + i * p->gemm->lda));
  }
  STORES_DONE();
}

TAREI_INLINE void fetch(strip *s) {
  for (size_t i = 0; i < s->lines; i++) {
    _mm_prefetch((const char *)s->ahead, _MM_HINT_T1); /* beyond the last panel it does nothing */
    s->ahead += LINE;
  }
}

TAREI_INLINE void sum_block(const amx_product *p, strip *s, size_t m0, const bool both) {
  _Alignas(64) uint8_t rest[MAX_ROWS * TILE_K];
  const size_t lda = p->gemm->lda;
  const uint8_t *a = p->gemm->a + m0 * lda;
  const int32_t *const add = p->gemm->add + s->panel * GEMM_PANEL;
  const int8_t *b = s->b;
  _tile_loadd(0, add, 0); /* one row for all rows */
  _tile_loadd(1, add + TILE, 0);
  if (both) {
    _tile_loadd(2, add, 0);
    _tile_loadd(3, add + TILE, 0);
  }
  for (size_t k = 0; k < p->steps; k++) {
    amx_step(a, lda, b, both);
    fetch(s);
    a += TILE_K;
    b += TILE * PANEL_STEP;
  }
  if (p->rest) {
    copy_rest(p, a, rest);
    amx_step(rest, TILE_K, s->b_rest, both);
  }
}

TAREI_INLINE void store_sums(int32_t *sums, const bool both) {
  _tile_stored(0, sums, SUMS_STRIDE);
  _tile_stored(1, sums + TILE, SUMS_STRIDE);
  if (both) {
    _tile_stored(2, sums + TILE * GEMM_PANEL, SUMS_STRIDE);
    _tile_stored(3, sums + TILE * GEMM_PANEL + TILE, SUMS_STRIDE);
  }
}

static void finish_last(amx_product *p) {
  if (p->last.rows) {
    tarei_i8_finish__avx512vbmi(p->gemm, p->last.sums, p->last.m0, p->last.rows, p->last.panel);
    p->last.rows = 0;
  }
}

TAREI_INLINE void amx_block(amx_product *p, strip *s, size_t m0, size_t rows, const bool both) {
  int32_t *const sums = p->sums[p->turn];
  sum_block(p, s, m0, both);
  finish_last(p);
  store_sums(sums, both);
  p->last = (pending){sums, m0, rows, s->panel};
  p->turn ^= 1;
}

/* A single block goes through the panel faster than it could fetch the next. */
static size_t lines_a_step(const amx_product *p, size_t bytes, size_t blocks) {
  const size_t steps = blocks * p->steps;
  return blocks > 1 && steps ? (bytes / LINE + steps - 1) / steps : 0;
}

/* Configuring the tiles takes as long as a block of 256 k: all blocks have one height, and one that
 * needs a row less sums up the first row of the next. */
static void multiply_panel(amx_product *p, size_t panel, size_t first, size_t end) {
  _Alignas(64) int8_t rest[TILE * PANEL_STEP] = {0};
  const tarei_i8_gemm *const g = p->gemm;
  const size_t groups = (g->k + 3) / 4;
  const size_t bytes = groups * PANEL_STEP;
  strip s = {panel, g->b + panel * bytes, rest, g->b + (panel + 1) * bytes,
             lines_a_step(p, bytes, end - first)};
  if (p->rest) {
    const size_t whole = p->steps * TILE;
    memcpy(rest, s.b + whole * PANEL_STEP, (groups - whole) * PANEL_STEP);
    STORES_DONE();
  }
  for (size_t q = first; q < end; q++) {
    const size_t m0 = g->m * q / p->blocks;
    const size_t rows = g->m * (q + 1) / p->blocks - m0;
    if (p->height > TILE) {
      amx_block(p, &s, m0, rows, true);
    } else {
      amx_block(p, &s, m0, rows, false);
    }
  }
}

static void amx_multiply(amx_product *p) {
  const size_t panels = (p->gemm->n + GEMM_PANEL - 1) / GEMM_PANEL;
  const size_t fitting = A_BYTES / (p->gemm->k * MAX_ROWS + 1);
  const size_t groups = fitting ? (p->blocks + fitting - 1) / fitting : p->blocks;
  configure(p->height);
  for (size_t group = 0; group < groups; group++) {
    const size_t first = p->blocks * group / groups;
    const size_t end = p->blocks * (group + 1) / groups;
    for (size_t panel = 0; panel < panels; panel++) {
      multiply_panel(p, panel, first, end);
    }
  }
  _tile_release();
  finish_last(p);
}

void tarei_k_i8_gemm_u8s8_32x32__amxint8(const tarei_i8_gemm *g) {
  _Alignas(64) int32_t sums[2][MAX_ROWS * GEMM_PANEL];
  if (g->m < FEWEST_ROWS || g->k < FEWEST_K) {
    tarei_k_i8_gemm_u8s8_14x32__avx512vnni(g);
    return;
  }
  const size_t blocks = (g->m + MAX_ROWS - 1) / MAX_ROWS;
  amx_product p = {.gemm = g,
                   .blocks = blocks,
                   .height = (g->m + blocks - 1) / blocks,
                   .steps = g->k / TILE_K,
                   .rest = g->k % TILE_K,
                   .sums = sums};
  amx_multiply(&p);
}
