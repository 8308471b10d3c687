/* Products by AMX tiles: two by two tiles of 16 x 16 sums of 32 bits, 64 bytes of a row at a time.
 * The tiles hold 32 rows by one panel; the packed layout of the panels is that of the tiles, 128
 * bytes between rows. Before inclusion:
 *   GEMM: the type of the call
 *   amx_sum: the type of a sum
 *   AMX_DOT(sums, a, b): adds the products of two tiles to a third, given by their numbers
 *   AMX_BEGIN(g, panel, both): fills the tiles of sums
 *   AMX_FINISH(g, sums, m0, rows, panel): what becomes of the sums of a block. */
#include <immintrin.h>
#include <string.h>

#include "kernels/generic/gemm_walk.h"
#include "kernels/x86/amx_config.h"

enum {
  PANEL_STEP = GEMM_PANEL * 4,
  SUMS_STRIDE = GEMM_PANEL * 4,
  LINE = 64,
  A_BYTES = 512 * 1024, /* rows that stay in L2 while all panels pass */
};

/* A block whose sums are stored but not finished: that is done while the tiles work on the next. */
typedef struct pending {
  const amx_sum *sums;
  size_t m0, rows, panel;
} pending;

typedef struct amx_product {
  const GEMM *gemm;
  const char *a; /* of `gemm` */
  size_t lda, row_bytes;
  size_t blocks, height;                    /* of rows; the height of all */
  size_t steps, rest;                       /* whole steps, bytes of a row beyond them */
  amx_sum (*sums)[TILES_ROWS * GEMM_PANEL]; /* two, used in turns */
  int turn;
  pending last;
} amx_product;

/* One panel; its last rows of B are padded with zeros to a whole step. All its blocks together
 * fetch the panel behind it, some lines a step. */
typedef struct strip {
  size_t panel;
  const char *b, *b_rest;
  const char *ahead;
  size_t lines;
} strip;

TAREI_INLINE void amx_step(const char *a, size_t lda, const char *b, const bool both) {
  _tile_loadd(6, b, PANEL_STEP);
  _tile_loadd(4, a, lda);
  _tile_loadd(7, b + TILE_BYTES, PANEL_STEP);
  AMX_DOT(0, 4, 6);
  AMX_DOT(1, 4, 7);
  if (both) {
    _tile_loadd(5, a + TILE * lda, lda);
    AMX_DOT(2, 5, 6);
    AMX_DOT(3, 5, 7);
  }
}

/* The last bytes of the rows, padded with zeros. */
static void copy_rest(const amx_product *p, const char *a, char *to) {
  const __mmask64 mask = (1ull << p->rest) - 1;
  for (size_t i = 0; i < p->height; i++) {
    _mm512_store_si512(to + i * TILE_BYTES, _mm512_maskz_loadu_epi8(mask, a + i * p->lda));
  }
  STORES_DONE();
}

TAREI_INLINE void fetch(strip *s) {
  for (size_t i = 0; i < s->lines; i++) {
    _mm_prefetch(s->ahead, _MM_HINT_T1); /* beyond the last panel it does nothing */
    s->ahead += LINE;
  }
}

TAREI_INLINE void sum_block(const amx_product *p, strip *s, size_t m0, const bool both) {
  _Alignas(64) char rest[TILES_ROWS * TILE_BYTES];
  const size_t lda = p->lda;
  const char *a = p->a + m0 * lda;
  const char *b = s->b;
  AMX_BEGIN(p->gemm, s->panel, both);
  for (size_t k = 0; k < p->steps; k++) {
    amx_step(a, lda, b, both);
    fetch(s);
    a += TILE_BYTES;
    b += TILE * PANEL_STEP;
  }
  if (p->rest) {
    copy_rest(p, a, rest);
    amx_step(rest, TILE_BYTES, s->b_rest, both);
  }
}

TAREI_INLINE void store_sums(amx_sum *sums, const bool both) {
  _tile_stored(0, sums, SUMS_STRIDE);
  _tile_stored(1, sums + TILE, SUMS_STRIDE);
  if (both) {
    _tile_stored(2, sums + TILE * GEMM_PANEL, SUMS_STRIDE);
    _tile_stored(3, sums + TILE * GEMM_PANEL + TILE, SUMS_STRIDE);
  }
}

static void finish_last(amx_product *p) {
  if (p->last.rows) {
    AMX_FINISH(p->gemm, p->last.sums, p->last.m0, p->last.rows, p->last.panel);
    p->last.rows = 0;
  }
}

TAREI_INLINE void amx_block(amx_product *p, strip *s, size_t m0, size_t rows, const bool both) {
  amx_sum *const sums = p->sums[p->turn];
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

/* Configuring the tiles takes as long as a block of four steps: all blocks have one height, and one
 * that needs a row less sums up the first row of the next. */
static void multiply_panel(amx_product *p, size_t panel, size_t first, size_t end) {
  _Alignas(64) char rest[TILE * PANEL_STEP] = {0};
  const GEMM *const g = p->gemm;
  const size_t groups = (p->row_bytes + 3) / 4;
  const size_t bytes = groups * PANEL_STEP;
  const char *const b = (const char *)g->b + panel * bytes;
  strip s = {panel, b, rest, b + bytes, lines_a_step(p, bytes, end - first)};
  if (p->rest) {
    const size_t whole = p->steps * TILE;
    memcpy(rest, b + whole * PANEL_STEP, (groups - whole) * PANEL_STEP);
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

static void amx_walk(amx_product *p) {
  const size_t panels = (p->gemm->n + GEMM_PANEL - 1) / GEMM_PANEL;
  const size_t fitting = A_BYTES / (p->row_bytes * TILES_ROWS + 1);
  const size_t groups = fitting ? (p->blocks + fitting - 1) / fitting : p->blocks;
  tiles_configure(p->height);
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

TAREI_INLINE void amx_multiply(const GEMM *g) {
  _Alignas(64) amx_sum sums[2][TILES_ROWS * GEMM_PANEL];
  const size_t blocks = (g->m + TILES_ROWS - 1) / TILES_ROWS;
  const size_t row_bytes = g->k * sizeof *g->a;
  amx_product p = {.gemm = g,
                   .a = (const char *)g->a,
                   .lda = g->lda * sizeof *g->a,
                   .row_bytes = row_bytes,
                   .blocks = blocks,
                   .height = (g->m + blocks - 1) / blocks,
                   .steps = row_bytes / TILE_BYTES,
                   .rest = row_bytes % TILE_BYTES,
                   .sums = sums};
  amx_walk(&p);
}
