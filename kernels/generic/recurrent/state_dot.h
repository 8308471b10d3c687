/* Four bytes of a state, around 128, times four weights within -127..127 for each of sixteen
 * columns. Sums begin with 128 times the weights' sums taken off where bytes count from 0, and with
 * nothing where what is multiplied is byte - 128: both end at the same integers. */
#ifndef TAREI_KERNELS_GENERIC_STATE_DOT_H
#define TAREI_KERNELS_GENERIC_STATE_DOT_H

#include <string.h>

#include "kernels/generic/v16.h"

#if defined(__AVX512VNNI__)
#include "kernels/x86/i8_bytes.h"
#endif

#if defined(__AVX512VNNI__) || defined(V16_IS_SCALAR)
TAREI_INLINE v16i dot_begin(const int32_t *add) {
  return i_load(add);
}
#else
TAREI_INLINE v16i dot_begin(const int32_t *add) {
  (void)add;
  return i_set1(0);
}
#endif

#define TAREI_AROUND_0 ((int32_t)0x80808080) /* turns bytes around 128 into signed ones */

#if defined(__AVX512VNNI__)
TAREI_INLINE v16i dot_four(v16i sum, int32_t four, const int8_t *w) {
  I8_DOT(sum, _mm512_set1_epi32(four), _mm512_loadu_si512(w));
  return sum;
}
#elif defined(TAREI_V16_NEON)
TAREI_INLINE int32x4_t dot_columns(int8x16_t x, int8x16_t w) {
#if defined(__ARM_FEATURE_DOTPROD)
  return vdotq_s32(vdupq_n_s32(0), x, w);
#else
  const int32x4_t low = vpaddlq_s16(vmull_s8(vget_low_s8(x), vget_low_s8(w)));
  const int32x4_t high = vpaddlq_s16(vmull_s8(vget_high_s8(x), vget_high_s8(w)));
  return vpaddq_s32(low, high);
#endif
}
TAREI_INLINE v16i dot_four(v16i sum, int32_t four, const int8_t *w) {
  const int8x16_t x = vreinterpretq_s8_s32(vdupq_n_s32(four ^ TAREI_AROUND_0));
#pragma GCC unroll 4
  for (size_t i = 0; i < 4; i++) {
    sum.q[i] = vaddq_s32(sum.q[i], dot_columns(x, vld1q_s8(w + 16 * i)));
  }
  return sum;
}
#elif defined(__AVX512F__)
/* A magnitude of 128 at most times 127, twice, stays within 16 bits. */
TAREI_INLINE v16i dot_four(v16i sum, int32_t four, const int8_t *w) {
  const __m512i x = _mm512_set1_epi32(four ^ TAREI_AROUND_0), at = _mm512_loadu_si512(w);
  const __m512i turned =
      _mm512_mask_sub_epi8(at, _mm512_movepi8_mask(x), _mm512_setzero_si512(), at);
  const __m512i pairs = _mm512_maddubs_epi16(_mm512_abs_epi8(x), turned);
  return i_add(sum, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
}
#elif defined(__AVX2__)
TAREI_INLINE __m256i dot_columns(__m256i x, const int8_t *w) {
  const __m256i turned = _mm256_sign_epi8(_mm256_loadu_si256((const __m256i *)(const void *)w), x);
  const __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(x), turned);
  return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}
TAREI_INLINE v16i dot_four(v16i sum, int32_t four, const int8_t *w) {
  const __m256i x = _mm256_set1_epi32(four ^ TAREI_AROUND_0);
  return i_add(sum, (v16i){dot_columns(x, w), dot_columns(x, w + 32)});
}
#else
TAREI_INLINE v16i dot_four(v16i sum, int32_t four, const int8_t *w) {
  int32_t columns[TAREI_LANES];
  uint8_t x[4];
  memcpy(x, &four, sizeof x);
  for (size_t i = 0; i < TAREI_LANES; i++) {
    columns[i] = 0;
    for (size_t k = 0; k < 4; k++) {
      columns[i] += x[k] * w[4 * i + k];
    }
  }
  return i_add(sum, i_load(columns));
}
#endif

#endif
