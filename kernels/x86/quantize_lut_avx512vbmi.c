/* Floats to bytes and on by table, without a stop in memory. */
#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512VL__) || \
    !defined(__AVX512DQ__) || !defined(__AVX512VBMI__)
#error "needs AVX-512 F, BW, VL, DQ and VBMI"
#endif
#include "kernels/x86/i8_bytes.h"
#include "kernels/x86/table64.h"

enum { ALL = 64 };

typedef struct places {
  v16 inv_scale;
  __m512i zero_point; /* words */
  table64 entries;
} places;

/* What is too small, and NaN, becomes the smallest integer; packing has the bounds. */
TAREI_INLINE v16i places_round(const places *p, v16 x) {
  return v_nearest(v_mul(x, p->inv_scale));
}

TAREI_INLINE __m512i places_at(const places *p, const v16 *x) {
  v16i rounded[4];
#pragma GCC unroll 4
  for (size_t q = 0; q < 4; q++) {
    rounded[q] = places_round(p, x[q]);
  }
  const __m512i first = i8_words(rounded[0], rounded[1], p->zero_point);
  const __m512i second = i8_words(rounded[2], rounded[3], p->zero_point);
  return table64_at(&p->entries, i8_bytes(first, second));
}

void tarei_k_quantize_lut_f32u8_64__avx512vbmi(const float *x, size_t n, float inv_scale,
                                               int32_t zero_point, const uint8_t *table,
                                               uint8_t *out) {
  const places p = {v_set1(inv_scale), _mm512_set1_epi16((int16_t)zero_point), table64_load(table)};
  size_t i = 0;
  for (; i + ALL <= n; i += ALL) {
    const v16 v[4] = {v_load(x + i), v_load(x + i + 16), v_load(x + i + 32), v_load(x + i + 48)};
    _mm512_storeu_si512(out + i, places_at(&p, v));
  }
  if (i < n) {
    v16 v[4];
    for (size_t q = 0; q < 4; q++) {
      const size_t at = i + q * TAREI_LANES < n ? i + q * TAREI_LANES : n;
      v[q] = v_load_n(x + at, lanes_left(at, n));
    }
    _mm512_mask_storeu_epi8(out + i, (UINT64_C(1) << (n - i)) - 1, places_at(&p, v));
  }
}
