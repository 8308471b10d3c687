/* Looks 64 bytes up in a table of 256 at once. */
#ifndef TAREI_KERNELS_X86_TABLE64_H
#define TAREI_KERNELS_X86_TABLE64_H

#include <immintrin.h>

#include "kernels/registry.h"

typedef struct table64 {
  __m512i quarter[4];
} table64;

TAREI_INLINE table64 table64_load(const uint8_t *table) {
  return (table64){{_mm512_loadu_si512(table), _mm512_loadu_si512(table + 64),
                    _mm512_loadu_si512(table + 128), _mm512_loadu_si512(table + 192)}};
}

#ifdef __AVX512VBMI__
TAREI_INLINE __m512i table64_at(const table64 *t, __m512i x) {
  const __m512i low = _mm512_permutex2var_epi8(t->quarter[0], x, t->quarter[1]);
  const __m512i high = _mm512_permutex2var_epi8(t->quarter[2], x, t->quarter[3]);
  return _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), low, high);
}
#else
/* Entry `word` of 128 words for each lane; only its low seven bits count. */
TAREI_INLINE __m512i table64_word(const table64 *t, __m512i word) {
  const __m512i low = _mm512_permutex2var_epi16(t->quarter[0], word, t->quarter[1]);
  const __m512i high = _mm512_permutex2var_epi16(t->quarter[2], word, t->quarter[3]);
  const __mmask32 upper = _mm512_test_epi16_mask(word, _mm512_set1_epi16(64));
  return _mm512_mask_blend_epi16(upper, low, high);
}

/* Pairs of entries are found as words; the lowest bit of a byte says which of the two. */
TAREI_INLINE __m512i table64_at(const table64 *t, __m512i x) {
  const __m512i even = table64_word(t, _mm512_srli_epi16(x, 1));
  const __m512i odd = table64_word(t, _mm512_srli_epi16(x, 9));
  const __mmask64 second = _mm512_test_epi8_mask(x, _mm512_set1_epi8(1));
  const __m512i first_of =
      _mm512_mask_blend_epi8(0xaaaaaaaaaaaaaaaa, even, _mm512_slli_epi16(odd, 8));
  const __m512i second_of =
      _mm512_mask_blend_epi8(0xaaaaaaaaaaaaaaaa, _mm512_srli_epi16(even, 8), odd);
  return _mm512_mask_blend_epi8(second, first_of, second_of);
}
#endif

#endif
