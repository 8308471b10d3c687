#if !defined(__AVX2__) || !defined(__FMA__)
#error "needs AVX2 and FMA"
#endif
#include <immintrin.h>
#include <stdbool.h>

#include "kernels/registry.h"

#define TAREI_ISA_SUFFIX avx2

#define PF_MASK __m256
#define PF_LANES 8
#define PF_PARTS false
#define pf_mask(n) ((void)(n), _mm256_castsi256_ps(_mm256_set1_epi32(-1)))
#define pf_known(mask, known) \
  _mm256_and_ps(mask, _mm256_castsi256_ps(_mm256_set1_epi32(-(int)(known))))
#define pf_load(mask, p) _mm256_and_ps(mask, _mm256_loadu_ps(p))
#define pf_store(p, mask, v) ((void)(mask), _mm256_storeu_ps(p, v))
/* Else the compiler loads so much ahead that it runs out of registers. */
#define PF_KEEP(v) __asm__("" : "+x"(v))
#define pf_quantizer pf_quantizer_256
#define pf_quantizer_of pf_quantizer_of_256
#define pf_store_bytes pf_store_bytes_256

typedef struct pf_quantizer_256 {
  __m256 inv_scale, most;
  __m128i zero_point; /* in 16 bits */
} pf_quantizer_256;

TAREI_INLINE pf_quantizer_256 pf_quantizer_of_256(const tarei_epilogue *e) {
  return (pf_quantizer_256){_mm256_set1_ps(e->inv_scale), _mm256_set1_ps(0x1p20f),
                            _mm_set1_epi16((int16_t)e->zero_point)};
}

/* As requant.h defines it: NaN becomes 0 before the zero point, and what is large is bounded so
 * that it stays positive as an integer; then packing saturates. */
TAREI_INLINE void pf_store_bytes_256(uint8_t *p, PF_MASK all, const pf_quantizer_256 *q, __m256 f) {
  (void)all;
  const __m256 scaled = _mm256_mul_ps(f, q->inv_scale);
  const __m256 known = _mm256_and_ps(scaled, _mm256_cmp_ps(scaled, scaled, _CMP_ORD_Q));
  const __m256i rounded = _mm256_cvtps_epi32(_mm256_min_ps(known, q->most));
  const __m128i words =
      _mm_packs_epi32(_mm256_castsi256_si128(rounded), _mm256_extracti128_si256(rounded, 1));
  const __m128i moved = _mm_adds_epi16(words, q->zero_point);
  _mm_storel_epi64((__m128i *)p, _mm_packus_epi16(moved, moved));
}

#include "kernels/x86/depthwise/dw_planes_f32.h"

void tarei_k_dw_planes_f32_f32_8x8__avx2(const tarei_dw_planes *p) {
  if (!TAREI_K(pf_run)(p)) {
    tarei_k_dw_planes_f32_f32_9x16__avx2(p);
  }
}
