/* Short weights by floats in three pieces of bfloat16, by AMX tiles. The weights of a panel are
 * widened while the tiles multiply the first rows with them. */
#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512VL__) ||  \
    !defined(__AVX512DQ__) || !(defined(__AMX_TILE__) || defined(__AMXTILE__)) || \
    !(defined(__AMX_BF16__) || defined(__AMXBF16__))
#error "needs AVX-512 F, BW, VL, DQ and AMX"
#endif
#include <immintrin.h>
#include <string.h>

#include "kernels/generic/gemm_walk.h"
#include "kernels/x86/amx_config.h"

enum {
  PIECES = TAREI_SPLIT_PIECES,
  STEP = TAREI_BF16_STEP,
  LANES = 16,
  STEP_WEIGHTS = STEP * GEMM_PANEL,
};

/* --- rows ------------------------------------------------------------------------------------- */

static size_t steps_of(size_t k) {
  return (k + STEP - 1) / STEP;
}

static __mmask16 step_lanes(size_t at, size_t k) {
  return k <= at ? 0 : k - at < LANES ? (__mmask16)((1u << (k - at)) - 1u) : 0xffff;
}

/* Bits of the largest magnitude; infinite and NaN ones are above all others. */
TAREI_INLINE __m512i larger_bits(__m512i largest, __m512 x) {
  const __m512i sign = _mm512_set1_epi32((int)0x80000000u);
  return _mm512_max_epu32(largest, _mm512_andnot_si512(sign, _mm512_castps_si512(x)));
}

TAREI_INLINE __m512 v_leading_bits(__m512 x) {
  const __m512i upper = _mm512_set1_epi32((int)0xffff0000u);
  return _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(x), upper));
}

/* The upper halves of both, those of `first` in the lower halves. */
TAREI_INLINE __m512i pairs_of(__m512 first, __m512 second) {
  const __m512i low = _mm512_srli_epi32(_mm512_castps_si512(first), 16);
  return _mm512_mask_blend_epi16(0xaaaaaaaa, low, _mm512_castps_si512(second));
}

TAREI_INLINE void split_step(__m512 first, __m512 second, uint16_t *out, size_t height) {
  const __m512 hi0 = v_leading_bits(first), hi1 = v_leading_bits(second);
  const __m512 rest0 = _mm512_sub_ps(first, hi0), rest1 = _mm512_sub_ps(second, hi1);
  const __m512 mid0 = v_leading_bits(rest0), mid1 = v_leading_bits(rest1);
  const __m512i lo = pairs_of(_mm512_sub_ps(rest0, mid0), _mm512_sub_ps(rest1, mid1));
  _mm512_store_si512(out, lo);
  _mm512_store_si512(out + height * STEP, pairs_of(mid0, mid1));
  _mm512_store_si512(out + 2 * height * STEP, pairs_of(hi0, hi1));
}

static bool magnitude_qualifies(__m512i largest) {
  const __m512 least = _mm512_set1_ps(TAREI_SPLIT_LEAST), most = _mm512_set1_ps(TAREI_SPLIT_MOST);
  const uint32_t bits = _mm512_reduce_max_epu32(largest);
  return bits == 0 || (bits >= (uint32_t)_mm512_cvtsi512_si32(_mm512_castps_si512(least)) &&
                       bits < (uint32_t)_mm512_cvtsi512_si32(_mm512_castps_si512(most)));
}

/* Steps of several rows in turn, so that what is written is contiguous. Returns how many rows
 * qualify before the first that does not. */
static size_t split_some_rows(const tarei_split_rows *r, const float *x, size_t rows,
                              uint16_t *out) {
  __m512i largest[TILE];
  for (size_t i = 0; i < rows; i++) {
    largest[i] = _mm512_setzero_si512();
  }
  for (size_t k = 0; k < r->k; k += STEP) {
    const __mmask16 left = step_lanes(k, r->k), right = step_lanes(k + LANES, r->k);
    for (size_t i = 0; i < rows; i++) {
      const float *const at = x + i * r->ldx + k;
      const __m512 first = _mm512_maskz_loadu_ps(left, at);
      const __m512 second = _mm512_maskz_loadu_ps(right, at + LANES);
      largest[i] = larger_bits(larger_bits(largest[i], first), second);
      split_step(first, second, out + i * STEP, r->height);
    }
    out += PIECES * r->height * STEP;
  }
  size_t good = 0;
  while (good < rows && magnitude_qualifies(largest[good])) {
    good++;
  }
  return good;
}

size_t tarei_k_split_rows_f32bf16_16__amxbf16(const tarei_split_rows *r) {
  const size_t block = steps_of(r->k) * PIECES * r->height * STEP;
  size_t m = 0;
  while (m < r->m) {
    const size_t in_block = m % r->height;
    const size_t left = r->height - in_block < r->m - m ? r->height - in_block : r->m - m;
    const size_t rows = left < TILE ? left : TILE;
    uint16_t *const out = r->out + m / r->height * block + in_block * STEP;
    const size_t good = split_some_rows(r, r->x + m * r->ldx, rows, out);
    m += good;
    if (good < rows) {
      return m;
    }
  }
  return m;
}

/* --- weights ---------------------------------------------------------------------------------- */

TAREI_INLINE __m512 bytes_as_floats(const int8_t *b) {
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const void *)b)));
}

/* Two rows of a panel as pairs; without a second row, with zeros. */
typedef void pair_rows_fn(const void *first, const void *second, uint16_t *out);

TAREI_INLINE void pair_bytes(const void *first, const void *second, uint16_t *out) {
  const int8_t *const one = first, *const two = second;
  const __m512 zero = _mm512_setzero_ps();
  const __m512 left = second ? bytes_as_floats(two) : zero;
  const __m512 right = second ? bytes_as_floats(two + LANES) : zero;
  _mm512_store_si512(out, pairs_of(bytes_as_floats(one), left));
  _mm512_store_si512(out + GEMM_PANEL, pairs_of(bytes_as_floats(one + LANES), right));
}

TAREI_INLINE __m512i halves_as_ints(const uint16_t *b) {
  return _mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)b));
}

TAREI_INLINE void pair_halves(const void *first, const void *second, uint16_t *out) {
  const uint16_t *const one = first, *const two = second;
  const __m512i zero = _mm512_setzero_si512();
  const __m512i left = second ? _mm512_slli_epi32(halves_as_ints(two), 16) : zero;
  const __m512i right = second ? _mm512_slli_epi32(halves_as_ints(two + LANES), 16) : zero;
  _mm512_store_si512(out, _mm512_or_si512(halves_as_ints(one), left));
  _mm512_store_si512(out + GEMM_PANEL, _mm512_or_si512(halves_as_ints(one + LANES), right));
}

/* `left` of the step's k are there. */
TAREI_INLINE void widen_step(const char *b, size_t left, uint16_t *out, const size_t row_bytes,
                             pair_rows_fn *const pair) {
  if (left >= STEP) {
    for (size_t i = 0; i < LANES; i++) {
      pair(b + i * row_bytes, b + (i + LANES) * row_bytes, out + 2 * i * GEMM_PANEL);
    }
    return;
  }
  memset(out, 0, STEP_WEIGHTS * sizeof *out);
  for (size_t i = 0; i < LANES && i < left; i++) {
    const char *const second = i + LANES < left ? b + (i + LANES) * row_bytes : NULL;
    pair(b + i * row_bytes, second, out + 2 * i * GEMM_PANEL);
  }
}

/* What is stored: bytes of a row of a panel, and how a step is widened. */
typedef struct split_weights {
  size_t row_bytes;
  void (*widen)(const char *b, size_t left, uint16_t *out);
} split_weights;

static void widen_bytes(const char *b, size_t left, uint16_t *out) {
  widen_step(b, left, out, GEMM_PANEL, pair_bytes);
}

static void widen_halves(const char *b, size_t left, uint16_t *out) {
  widen_step(b, left, out, GEMM_PANEL * sizeof(uint16_t), pair_halves);
}

/* --- products --------------------------------------------------------------------------------- */

/* Sums of a block of k that are stored, and not yet scaled. Of up to sixteen rows, the sums of the
 * next block of k follow: two blocks at a time hide the latency of the tiles. */
typedef struct split_pending {
  const float *sums;
  size_t m0, rows, panel;
  size_t k; /* of the first */
} split_pending;

typedef struct split_product {
  const tarei_split_gemm *g;
  split_weights weights;
  float (*sums)[TILES_ROWS * GEMM_PANEL]; /* two, used in turns */
  float *totals;
  int turn;
  split_pending last;
} split_product;

/* Sixteen rows of a piece, by the step of the panel in tiles 6 and 7. */
#define SPLIT_TILES(left, right, rows, a) \
  do {                                    \
    _tile_loadd(rows, a, TILE_BYTES);     \
    _tile_dpbf16ps(left, rows, 6);        \
    _tile_dpbf16ps(right, rows, 7);       \
  } while (0)

/* Loads the step of the panel that begins at k. The first block of rows widens it. */
TAREI_INLINE void load_step(const split_product *p, size_t panel, size_t k, bool widen) {
  const tarei_split_gemm *const g = p->g;
  uint16_t *const b = g->widened + k * GEMM_PANEL;
  if (widen) {
    const char *const stored = (const char *)g->b + (panel * g->k + k) * p->weights.row_bytes;
    p->weights.widen(stored, g->k - k, b);
    STORES_DONE();
  }
  _tile_loadd(6, b, GEMM_PANEL * 4);
  _tile_loadd(7, b + GEMM_PANEL, GEMM_PANEL * 4);
}

/* 17 to 32 rows, by one block of k. */
TAREI_INLINE void sum_high_block(const split_product *p, size_t q, size_t panel, size_t k) {
  const tarei_split_gemm *const g = p->g;
  const size_t end = g->k - k < g->block ? g->k : k + g->block, plane = g->height * STEP;
  const uint16_t *a = g->a + (q * steps_of(g->k) + k / STEP) * PIECES * plane;
  for (; k < end; k += STEP) {
    load_step(p, panel, k, q == 0);
#pragma GCC unroll 3
    for (size_t i = 0; i < PIECES; i++) {
      SPLIT_TILES(0, 1, 4, a);
      SPLIT_TILES(2, 3, 5, a + TILE * STEP);
      a += plane;
    }
  }
}

/* Up to sixteen rows, by two blocks of k in turns. */
TAREI_INLINE void sum_low_blocks(const split_product *p, size_t q, size_t panel, size_t k) {
  const tarei_split_gemm *const g = p->g;
  const size_t end = g->k - k < g->block ? g->k : k + g->block, plane = g->height * STEP;
  const uint16_t *a = g->a + (q * steps_of(g->k) + k / STEP) * PIECES * plane;
  for (; k < end; k += STEP) {
    const uint16_t *second = a + g->block / STEP * PIECES * plane;
    load_step(p, panel, k, q == 0);
#pragma GCC unroll 3
    for (size_t i = 0; i < PIECES; i++) {
      SPLIT_TILES(0, 1, 4, a);
      a += plane;
    }
    if (k + g->block < g->k) {
      load_step(p, panel, k + g->block, q == 0);
#pragma GCC unroll 3
      for (size_t i = 0; i < PIECES; i++) {
        SPLIT_TILES(2, 3, 5, second);
        second += plane;
      }
    }
  }
}

static void split_tiles_zero(void) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
}

static void split_tiles_store(float *sums) {
  _tile_stored(0, sums, GEMM_PANEL * 4);
  _tile_stored(1, sums + TILE, GEMM_PANEL * 4);
  _tile_stored(2, sums + TILE * GEMM_PANEL, GEMM_PANEL * 4);
  _tile_stored(3, sums + TILE * GEMM_PANEL + TILE, GEMM_PANEL * 4);
}

TAREI_INLINE void add_scaled_sums(const float *sums, size_t rows, const float *scale, float *totals,
                                  const bool first) {
  const __m512 left = _mm512_loadu_ps(scale), right = _mm512_loadu_ps(scale + LANES);
  const __m512 zero = _mm512_setzero_ps();
  for (size_t i = 0; i < rows * GEMM_PANEL; i += GEMM_PANEL) {
    const __m512 before = first ? zero : _mm512_load_ps(totals + i);
    const __m512 before2 = first ? zero : _mm512_load_ps(totals + i + LANES);
    const __m512 x = _mm512_load_ps(sums + i), y = _mm512_load_ps(sums + i + LANES);
    _mm512_store_ps(totals + i, _mm512_fmadd_ps(x, left, before));
    _mm512_store_ps(totals + i + LANES, _mm512_fmadd_ps(y, right, before2));
  }
}

static const float *scale_at(const tarei_split_gemm *g, size_t panel, size_t k) {
  static const float ones[GEMM_PANEL] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                         1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  return g->scale ? g->scale + k / g->block * g->ld_scale + panel * GEMM_PANEL : ones;
}

static size_t blocks_at_once(const tarei_split_gemm *g) {
  return g->height > TILE ? 1 : 2;
}

static void scale_last(split_product *p) {
  const tarei_split_gemm *const g = p->g;
  const split_pending *const s = &p->last;
  if (!s->rows) {
    return;
  }
  const float *const scale = scale_at(g, s->panel, s->k);
  if (s->k == 0) {
    add_scaled_sums(s->sums, s->rows, scale, p->totals, true);
  } else {
    add_scaled_sums(s->sums, s->rows, scale, p->totals, false);
  }
  if (blocks_at_once(g) == 2 && s->k + g->block < g->k) {
    const float *const next = scale_at(g, s->panel, s->k + g->block);
    add_scaled_sums(s->sums + TILE * GEMM_PANEL, s->rows, next, p->totals, false);
  }
  if (s->k + blocks_at_once(g) * g->block >= g->k) {
    const tarei_tile done = gemm_tile(p->totals, s->m0, s->rows, g->n, s->panel);
    tarei_epilogue__avx512(&g->epilogue, &done);
  }
}

/* Block q of the rows. While the tiles work on sums, those before them are scaled. */
static void split_multiply_block(split_product *p, size_t q, size_t panel) {
  const tarei_split_gemm *const g = p->g;
  const size_t m0 = q * g->height, left = g->m - m0, at_once = blocks_at_once(g);
  const size_t rows = left < g->height ? left : g->height;
  for (size_t k = 0; k < g->k; k += at_once * g->block) {
    split_tiles_zero();
    if (at_once == 1) {
      sum_high_block(p, q, panel, k);
    } else {
      sum_low_blocks(p, q, panel, k);
    }
    scale_last(p);
    split_tiles_store(p->sums[p->turn]);
    p->last = (split_pending){p->sums[p->turn], m0, rows, panel, k};
    p->turn ^= 1;
  }
}

/* All blocks of rows are as high as the first: what follows the last row is summed up too, and left
 * there. */
static void split_multiply(const tarei_split_gemm *g, split_weights weights) {
  _Alignas(64) float sums[2][TILES_ROWS * GEMM_PANEL], totals[TILES_ROWS * GEMM_PANEL];
  split_product p = {.g = g, .weights = weights, .sums = sums, .totals = totals};
  tiles_configure(g->height);
  for (size_t panel = 0; panel * GEMM_PANEL < g->n; panel++) {
    for (size_t q = 0; q * g->height < g->m; q++) {
      split_multiply_block(&p, q, panel);
    }
  }
  _tile_release();
  scale_last(&p);
}

void tarei_k_split_i8_bf16s8_32x32__amxbf16(const tarei_split_gemm *g) {
  split_multiply(g, (split_weights){GEMM_PANEL, widen_bytes});
}

void tarei_k_split_bf16_bf16_32x32__amxbf16(const tarei_split_gemm *g) {
  split_multiply(g, (split_weights){GEMM_PANEL * sizeof(uint16_t), widen_halves});
}
