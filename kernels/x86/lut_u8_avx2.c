/* Bytes by table: look-ups in sixteen entries each. vpshufb gives zero where the top bit of an
 * index is set and else looks at its lower half only; with the index sinking by sixteen a time, a
 * byte of upper half h meets the first h + 1 parts of its half of the table. So a part holds its
 * entries XOR those of the part before, and all that a byte meets cancel but the last. */
#if !defined(__AVX2__)
#error "needs AVX2"
#endif
#include <immintrin.h>

#include "kernels/registry.h"

enum { PARTS = 16, PART = 16, AT_ONCE = 64 };

typedef struct parts {
  __m256i part[PARTS];
} parts;

static parts lut_u8_avx2_parts_of(const uint8_t *table) {
  parts t;
  __m256i before = _mm256_setzero_si256();
  for (int p = 0; p < PARTS; p++) {
    const __m128i entries = _mm_loadu_si128((const __m128i *)(table + p * PART));
    const __m256i here = _mm256_broadcastsi128_si256(entries);
    t.part[p] = p % (PARTS / 2) ? _mm256_xor_si256(here, before) : here;
    before = here;
  }
  return t;
}

/* Subtraction saturates: bytes of the other half stay negative and find nothing. */
TAREI_INLINE __m256i lut_u8_avx2_look_up(const parts *t, __m256i x) {
  const __m256i step = _mm256_set1_epi8(PART);
  __m256i low = x;
  __m256i high = _mm256_xor_si256(x, _mm256_set1_epi8((char)0x80));
  __m256i found = _mm256_setzero_si256();
#pragma GCC unroll 8
  for (int p = 0; p < PARTS / 2; p++) {
    found = _mm256_xor_si256(found, _mm256_shuffle_epi8(t->part[p], low));
    found = _mm256_xor_si256(found, _mm256_shuffle_epi8(t->part[p + PARTS / 2], high));
    low = _mm256_subs_epi8(low, step);
    high = _mm256_subs_epi8(high, step);
  }
  return found;
}

static size_t look_many_up(const uint8_t *table, const uint8_t *x, size_t n, uint8_t *out) {
  const parts t = lut_u8_avx2_parts_of(table);
  size_t i = 0;
  for (; i + AT_ONCE <= n; i += AT_ONCE) {
    const __m256i first = _mm256_loadu_si256((const __m256i *)(x + i));
    const __m256i second = _mm256_loadu_si256((const __m256i *)(x + i + AT_ONCE / 2));
    _mm256_storeu_si256((__m256i *)(out + i), lut_u8_avx2_look_up(&t, first));
    _mm256_storeu_si256((__m256i *)(out + i + AT_ONCE / 2), lut_u8_avx2_look_up(&t, second));
  }
  return i;
}

void tarei_k_lut_u8_u8_64__avx2(const uint8_t *table, const uint8_t *x, size_t n, uint8_t *out) {
  for (size_t i = n < AT_ONCE ? 0 : look_many_up(table, x, n, out); i < n; i++) {
    out[i] = table[x[i]];
  }
}
