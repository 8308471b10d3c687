/* Four bytes of a state, around 128, times four weights within -127..127 for each of sixteen
 * columns (dot_four), or those of sixteen states times the same weights (dot_lanes). Sums begin
 * with 128 times the weights' sums taken off where bytes count from 0, and with nothing where what
 * is multiplied is byte - 128: both end at the same integers. */
#ifndef TAREI_KERNELS_GENERIC_RECURRENT_STATE_DOT_H
#define TAREI_KERNELS_GENERIC_RECURRENT_STATE_DOT_H

#include <string.h>

#include "kernels/generic/v16.h"

#if defined(__AVX512VNNI__)
#include "kernels/x86/i8_bytes.h"
#endif

#if defined(__AVX512VNNI__) || defined(TAREI_V16_SCALAR)
TAREI_INLINE v16i dot_begin(const int32_t *add) {
  return i_load(add);
}
TAREI_INLINE v16i dot_begin_lanes(int32_t add) {
  return i_set1(add);
}
#else
TAREI_INLINE v16i dot_begin(const int32_t *add) {
  (void)add;
  return i_set1(0);
}
TAREI_INLINE v16i dot_begin_lanes(int32_t add) {
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
TAREI_INLINE v16i dot_lanes(v16i sum, v16i fours, int32_t w) {
  I8_DOT(sum, fours, _mm512_set1_epi32(w));
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
TAREI_INLINE v16i dot_lanes(v16i sum, v16i fours, int32_t w) {
  const int8x16_t at = vreinterpretq_s8_s32(vdupq_n_s32(w));
#pragma GCC unroll 4
  for (size_t i = 0; i < 4; i++) {
    const int32x4_t x = veorq_s32(fours.q[i], vdupq_n_s32(TAREI_AROUND_0));
    sum.q[i] = vaddq_s32(sum.q[i], dot_columns(vreinterpretq_s8_s32(x), at));
  }
  return sum;
}
#elif defined(__AVX512F__)
/* A magnitude of 128 at most times 127, twice, stays within 16 bits. */
TAREI_INLINE v16i dot_signed(v16i sum, __m512i x, __m512i at) {
  const __m512i turned =
      _mm512_mask_sub_epi8(at, _mm512_movepi8_mask(x), _mm512_setzero_si512(), at);
  const __m512i pairs = _mm512_maddubs_epi16(_mm512_abs_epi8(x), turned);
  return i_add(sum, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
}
TAREI_INLINE v16i dot_four(v16i sum, int32_t four, const int8_t *w) {
  return dot_signed(sum, _mm512_set1_epi32(four ^ TAREI_AROUND_0), _mm512_loadu_si512(w));
}
TAREI_INLINE v16i dot_lanes(v16i sum, v16i fours, int32_t w) {
  const __m512i x = _mm512_xor_si512(fours, _mm512_set1_epi32(TAREI_AROUND_0));
  return dot_signed(sum, x, _mm512_set1_epi32(w));
}
#elif defined(__AVX2__)
TAREI_INLINE __m256i dot_signed(__m256i x, __m256i at) {
  const __m256i turned = _mm256_sign_epi8(at, x);
  const __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(x), turned);
  return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}
TAREI_INLINE __m256i dot_columns(__m256i x, const int8_t *w) {
  return dot_signed(x, _mm256_loadu_si256((const __m256i *)(const void *)w));
}
TAREI_INLINE v16i dot_four(v16i sum, int32_t four, const int8_t *w) {
  const __m256i x = _mm256_set1_epi32(four ^ TAREI_AROUND_0);
  return i_add(sum, (v16i){dot_columns(x, w), dot_columns(x, w + 32)});
}
TAREI_INLINE v16i dot_lanes(v16i sum, v16i fours, int32_t w) {
  const __m256i around_0 = _mm256_set1_epi32(TAREI_AROUND_0), at = _mm256_set1_epi32(w);
  const __m256i low = _mm256_xor_si256(fours.low, around_0);
  const __m256i high = _mm256_xor_si256(fours.high, around_0);
  return i_add(sum, (v16i){dot_signed(low, at), dot_signed(high, at)});
}
#else
TAREI_INLINE int32_t dot_of_four(int32_t four, const int8_t *w) {
  uint8_t x[4];
  int32_t sum = 0;
  memcpy(x, &four, sizeof x);
  for (size_t k = 0; k < 4; k++) {
    sum += x[k] * w[k];
  }
  return sum;
}
TAREI_INLINE v16i dot_four(v16i sum, int32_t four, const int8_t *w) {
  for (size_t i = 0; i < TAREI_LANES; i++) {
    sum.lane[i] += dot_of_four(four, w + 4 * i);
  }
  return sum;
}
TAREI_INLINE v16i dot_lanes(v16i sum, v16i fours, int32_t w) {
  int8_t at[4];
  memcpy(at, &w, sizeof at);
  for (size_t i = 0; i < TAREI_LANES; i++) {
    sum.lane[i] += dot_of_four(fours.lane[i], at);
  }
  return sum;
}
#endif

#endif
