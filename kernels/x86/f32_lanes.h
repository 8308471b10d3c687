/* Vectors of floats, as wide as the ISA of a file has them. */
#ifndef TAREI_KERNELS_X86_F32_LANES_H
#define TAREI_KERNELS_X86_F32_LANES_H

#include <immintrin.h>

#include "kernels/registry.h"

/* Of f32_min and f32_max the second comes out where one of two is NaN. */
#if defined(__AVX512F__)
#define F32_VECTOR __m512
#define f32_set1 _mm512_set1_ps
#define f32_add _mm512_add_ps
#define f32_mul _mm512_mul_ps
#define f32_fmadd _mm512_fmadd_ps
#define f32_min _mm512_min_ps
#define f32_max _mm512_max_ps

/* x * slope where x is below 0. */
TAREI_INLINE __m512 f32_leaky(__m512 x, __m512 slope) {
  return _mm512_mask_mul_ps(x, _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_LT_OQ), x, slope);
}
#else
#define F32_VECTOR __m256
#define f32_set1 _mm256_set1_ps
#define f32_add _mm256_add_ps
#define f32_mul _mm256_mul_ps
#define f32_fmadd _mm256_fmadd_ps
#define f32_min _mm256_min_ps
#define f32_max _mm256_max_ps

TAREI_INLINE __m256 f32_leaky(__m256 x, __m256 slope) {
  const __m256 below = _mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_LT_OQ);
  return _mm256_blendv_ps(x, _mm256_mul_ps(x, slope), below);
}
#endif

#endif
