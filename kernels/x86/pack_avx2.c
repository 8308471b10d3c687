/* Packing of activations on the fly. Both panel layouts are made of dwords (four k of u8, or one
 * float), so the transposed forms share one transposition of eight by eight dwords. */
#if !defined(__AVX2__)
#error "needs AVX2"
#endif
#include <immintrin.h>
#include <string.h>

#include "kernels/registry.h"

enum { PANEL = 32, CELL = 8 };

TAREI_INLINE void pack_avx2_transpose(__m256i r[CELL]) {
  __m256i pair[CELL], four[CELL];
#pragma GCC unroll 4
  for (int i = 0; i < CELL; i += 2) {
    pair[i] = _mm256_unpacklo_epi32(r[i], r[i + 1]);
    pair[i + 1] = _mm256_unpackhi_epi32(r[i], r[i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < CELL / 2; i++) {
    const int from = i / 2 * 4 + i % 2;
    const int to = i / 2 * 4 + i % 2 * 2;
    four[to] = _mm256_unpacklo_epi64(pair[from], pair[from + 2]);
    four[to + 1] = _mm256_unpackhi_epi64(pair[from], pair[from + 2]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < CELL / 2; i++) {
    r[i] = _mm256_permute2x128_si256(four[i], four[i + 4], 0x20);
    r[i + 4] = _mm256_permute2x128_si256(four[i], four[i + 4], 0x31);
  }
}

/* Loads `bytes` (at most 32) of each of the first `rows` rows, transposes, and stores the first
 * `dwords` of the results at the steps of a panel. Bytes and rows beyond are `fill`. */
typedef struct cell {
  const uint8_t *from;
  size_t stride, rows, bytes;
  __m256i fill;
} cell;

TAREI_INLINE void cell_load(const cell *c, __m256i r[CELL]) {
  _Alignas(32) uint8_t partial[32];
  for (size_t i = 0; i < CELL; i++) {
    r[i] = c->fill;
    if (i < c->rows && c->bytes == 32) {
      r[i] = _mm256_loadu_si256((const __m256i *)(c->from + i * c->stride));
    } else if (i < c->rows) {
      _mm256_store_si256((__m256i *)partial, c->fill);
      memcpy(partial, c->from + i * c->stride, c->bytes);
      r[i] = _mm256_load_si256((const __m256i *)partial);
    }
  }
  pack_avx2_transpose(r);
}

/* --- floats ----------------------------------------------------------------------------------- */
static void f32_pack_row(const float *w, size_t columns, float *packed) {
  memcpy(packed, w, columns * sizeof *w);
  memset(packed + columns, 0, (PANEL - columns) * sizeof *packed);
}

/* `columns` rows of w are the columns of the panel. */
static void f32_pack_turned(const float *w, size_t ldw, size_t k, size_t columns, float *packed) {
  for (size_t i = 0; i < k; i += CELL) {
    const size_t steps = k - i < CELL ? k - i : CELL;
    for (size_t j = 0; j < PANEL; j += CELL) {
      const size_t left = columns > j ? columns - j : 0;
      const cell c = {(const uint8_t *)(w + (left ? j * ldw + i : 0)), ldw * sizeof *w,
                      left < CELL ? left : CELL, steps * sizeof *w, _mm256_setzero_si256()};
      __m256i r[CELL];
      cell_load(&c, r);
      for (size_t q = 0; q < steps; q++) {
        _mm256_storeu_si256((__m256i *)(packed + (i + q) * PANEL + j), r[q]);
      }
    }
  }
}

void tarei_k_f32_pack_f32_8x8__avx2(const float *w, size_t ldw, bool transposed, size_t k, size_t n,
                                    float *packed) {
  for (size_t n0 = 0; n0 < n; n0 += PANEL) {
    const size_t columns = n - n0 < PANEL ? n - n0 : PANEL;
    if (transposed) {
      f32_pack_turned(w + n0 * ldw, ldw, k, columns, packed);
    } else {
      for (size_t i = 0; i < k; i++) {
        f32_pack_row(w + i * ldw + n0, columns, packed + i * PANEL);
      }
    }
    packed += k * PANEL;
  }
}

/* --- bytes ------------------------------------------------------------------------------------ */
typedef struct i8_panel {
  const uint8_t *x;
  size_t ldx, k, columns;
  __m256i zero; /* zero point in every byte */
  int8_t *packed;
  __m256i sums[PANEL / CELL];
} i8_panel;

/* Eight columns by four k, still as u8: centres, stores and adds up. */
TAREI_INLINE void i8_put(i8_panel *p, size_t step, size_t group, __m256i bytes) {
  const __m256i centred = _mm256_sub_epi8(bytes, p->zero);
  const __m256i pairs = _mm256_maddubs_epi16(_mm256_set1_epi8(1), centred);
  const __m256i sum = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
  p->sums[group] = _mm256_add_epi32(p->sums[group], sum);
  _mm256_storeu_si256((__m256i *)(p->packed + (step * PANEL + group * CELL) * 4), centred);
}

static void i8_pack_turned(i8_panel *p) {
  for (size_t i = 0; i < p->k; i += 4 * CELL) {
    const size_t bytes = p->k - i < 4 * CELL ? p->k - i : 4 * CELL;
    for (size_t group = 0; group < PANEL / CELL; group++) {
      const size_t j = group * CELL;
      const size_t left = p->columns > j ? p->columns - j : 0;
      const cell c = {p->x + (left ? j * p->ldx + i : 0), p->ldx, left < CELL ? left : CELL, bytes,
                      p->zero};
      __m256i r[CELL];
      cell_load(&c, r);
      for (size_t q = 0; q * 4 < bytes; q++) {
        i8_put(p, i / 4 + q, group, r[q]);
      }
    }
  }
}

/* Row i of the panel's columns, the zero point beyond. */
TAREI_INLINE __m256i i8_row(const i8_panel *p, size_t i) {
  if (i >= p->k) {
    return p->zero;
  }
  if (p->columns == PANEL) {
    return _mm256_loadu_si256((const __m256i *)(p->x + i * p->ldx));
  }
  _Alignas(32) uint8_t partial[PANEL];
  _mm256_store_si256((__m256i *)partial, p->zero);
  memcpy(partial, p->x + i * p->ldx, p->columns);
  return _mm256_load_si256((const __m256i *)partial);
}

static void i8_pack_straight(i8_panel *p) {
  for (size_t i = 0; i < p->k; i += 4) {
    const __m256i r0 = i8_row(p, i), r1 = i8_row(p, i + 1);
    const __m256i r2 = i8_row(p, i + 2), r3 = i8_row(p, i + 3);
    const __m256i low01 = _mm256_unpacklo_epi8(r0, r1), high01 = _mm256_unpackhi_epi8(r0, r1);
    const __m256i low23 = _mm256_unpacklo_epi8(r2, r3), high23 = _mm256_unpackhi_epi8(r2, r3);
    const __m256i c0 = _mm256_unpacklo_epi16(low01, low23); /* columns 0-3 and 16-19 */
    const __m256i c4 = _mm256_unpackhi_epi16(low01, low23); /* 4-7 and 20-23 */
    const __m256i c8 = _mm256_unpacklo_epi16(high01, high23);
    const __m256i c12 = _mm256_unpackhi_epi16(high01, high23);
    i8_put(p, i / 4, 0, _mm256_permute2x128_si256(c0, c4, 0x20));
    i8_put(p, i / 4, 1, _mm256_permute2x128_si256(c8, c12, 0x20));
    i8_put(p, i / 4, 2, _mm256_permute2x128_si256(c0, c4, 0x31));
    i8_put(p, i / 4, 3, _mm256_permute2x128_si256(c8, c12, 0x31));
  }
}

void tarei_k_i8_pack_u8_u8s8_8x8__avx2(const uint8_t *x, size_t ldx, bool transposed, size_t k,
                                       size_t n, int32_t zp, int8_t *packed, int32_t *column_sums) {
  for (size_t n0 = 0; n0 < n; n0 += PANEL) {
    i8_panel p = {.x = transposed ? x + n0 * ldx : x + n0,
                  .ldx = ldx,
                  .k = k,
                  .columns = n - n0 < PANEL ? n - n0 : PANEL,
                  .zero = _mm256_set1_epi8((char)zp),
                  .packed = packed};
    for (size_t group = 0; group < PANEL / CELL; group++) {
      p.sums[group] = _mm256_setzero_si256();
    }
    (transposed ? i8_pack_turned : i8_pack_straight)(&p);
    for (size_t group = 0; group < PANEL / CELL; group++) {
      _mm256_storeu_si256((__m256i *)(column_sums + n0 + group * CELL), p.sums[group]);
    }
    packed += tarei_i8_packed_size(k, 1);
  }
}
