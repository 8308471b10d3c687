/* From integers to the bytes of an int8 product on AVX-512. */
#ifndef TAREI_KERNELS_X86_I8_BYTES_H
#define TAREI_KERNELS_X86_I8_BYTES_H

#include <immintrin.h>

#include "kernels/generic/v16.h"

/* gcc 12 spills the accumulators around the intrinsic, which halves the speed. */
#define I8_DOT(acc, a, b) __asm__("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(a), "v"(b))
/* Of eight columns; the others become 0. Half a vector takes half the time on Zen 4. */
#define I8_DOT_NARROW(acc, a, b) __asm__("vpdpbusd %t2, %t1, %t0" : "+v"(acc) : "v"(a), "v"(b))

/* 32 results of a row as words, zero point added, in the order of packs. */
TAREI_INLINE __m512i i8_words(v16i first, v16i second, __m512i zero_point) {
  return _mm512_adds_epi16(_mm512_packs_epi32(first, second), zero_point);
}

/* Two of those as bytes, saturated and back in their order. */
TAREI_INLINE __m512i i8_bytes(__m512i first, __m512i second) {
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return _mm512_permutexvar_epi32(order, _mm512_packus_epi16(first, second));
}

/* Factors count as this at least, so that no product before them becomes infinite. */
#define I8_LEAST_FACTOR 0x1p-90f

/* What the rows multiply by at most, 1 without it; NaN where there is one, because magnitudes order
 * like the integers of their bits. */
TAREI_INLINE v16 i8_most_row_mult(const float *row_mult, size_t rows) {
  if (!row_mult) {
    return v_set1(1.0f);
  }
  v16i most = v_bits(v_set1(I8_LEAST_FACTOR));
  for (size_t i = 0; i < rows; i += TAREI_LANES) {
    most = i_max(most, v_bits(v_abs(v_load_n(row_mult + i, lanes_left(i, rows)))));
  }
  return i_as_float(i_set1(_mm512_reduce_max_epi32(most)));
}

/* Does no sum times its multiplier come near the ends of the integers? Then rounding needs no
 * bounds of its own: packing saturates. NaN does not pass. Sums reach 2^31. */
TAREI_INLINE bool i8_is_tame(v16 mult, v16 other_mult) {
  const v16 limit = v_set1(0.5f);
  const v16m tame = m_and(v_less(v_abs(mult), limit), v_less(v_abs(other_mult), limit));
  return tame == m_first(TAREI_LANES);
}

#endif
