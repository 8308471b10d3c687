/* Lanes appended to a list of u16. */
#ifndef TAREI_KERNELS_GENERIC_APPEND16_H
#define TAREI_KERNELS_GENERIC_APPEND16_H

#include "kernels/generic/v16.h"

/* i_store_u16_pair stores all lanes of both, each within 0..32767, in no particular order.
 *
 * i_store_u16_but stores the first n lanes, each within 0..32767, of which those equal to `skip`
 * may be left out. It returns how many stayed; sixteen u16 are written in any case. */
#if defined(__AVX512F__)
TAREI_INLINE void i_store_u16_pair(uint16_t *p, v16i a, v16i b) {
  _mm512_storeu_si512(p, _mm512_packus_epi32(a, b));
}

TAREI_INLINE size_t i_store_u16_but(uint16_t *p, v16i lanes, v16i skip, size_t n) {
  const v16m kept = m_and(_mm512_cmpneq_epi32_mask(lanes, skip), m_first(n));
  i_store_u16(p, _mm512_maskz_compress_epi32(kept, lanes));
  return m_count(kept);
}
#elif defined(__AVX2__)
TAREI_INLINE void i_store_u16_pair(uint16_t *p, v16i a, v16i b) {
  _mm256_storeu_si256((__m256i *)p, _mm256_packus_epi32(a.low, a.high));
  _mm256_storeu_si256((__m256i *)(p + TAREI_LANES), _mm256_packus_epi32(b.low, b.high));
}

/* without instructions that pack lanes, all of them stay or none */
TAREI_INLINE size_t i_store_u16_but(uint16_t *p, v16i lanes, v16i skip, size_t n) {
  const __m256i low = _mm256_cmpeq_epi32(lanes.low, skip.low);
  const __m256i high = _mm256_cmpeq_epi32(lanes.high, skip.high);
  i_store_u16(p, lanes);
  return _mm256_movemask_epi8(_mm256_and_si256(low, high)) == -1 ? 0 : n;
}
#else
TAREI_INLINE void i_store_u16_pair(uint16_t *p, v16i a, v16i b) {
  i_store_u16(p, a);
  i_store_u16(p + TAREI_LANES, b);
}

TAREI_INLINE size_t i_store_u16_but(uint16_t *p, v16i lanes, v16i skip, size_t n) {
  (void)skip;
  i_store_u16(p, lanes);
  return n;
}
#endif

#endif
