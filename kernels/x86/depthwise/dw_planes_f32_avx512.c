#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512VL__)
#error "needs AVX-512 F, BW and VL"
#endif
#include <immintrin.h>
#include <stdbool.h>

#include "kernels/registry.h"

#define TAREI_ISA_SUFFIX avx512

#define PF_MASK __mmask16
#define PF_LANES 16
#define PF_PARTS true
#define pf_mask(n) ((n) < PF_LANES ? (__mmask16)((1u << (n)) - 1u) : (__mmask16)0xffff)
#define pf_known(mask, known) ((known) ? (mask) : (__mmask16)0)
#define pf_load _mm512_maskz_loadu_ps
#define pf_store _mm512_mask_storeu_ps
#define PF_KEEP(v) __asm__("" : "+v"(v))
#define pf_quantizer pf_quantizer_512
#define pf_quantizer_of pf_quantizer_of_512
#define pf_store_bytes pf_store_bytes_512

typedef struct pf_quantizer_512 {
  __m512 inv_scale, most;
  __m512i zero_point;
} pf_quantizer_512;

TAREI_INLINE pf_quantizer_512 pf_quantizer_of_512(const tarei_epilogue *e) {
  return (pf_quantizer_512){_mm512_set1_ps(e->inv_scale), _mm512_set1_ps(0x1p20f),
                            _mm512_set1_epi32(e->zero_point)};
}

/* As requant.h defines it: NaN becomes 0 before the zero point, and what is large is bounded so
 * that it stays positive as an integer; then conversion saturates. */
TAREI_INLINE void pf_store_bytes_512(uint8_t *p, __mmask16 lanes, const pf_quantizer_512 *q,
                                     __m512 f) {
  const __m512 scaled = _mm512_mul_ps(f, q->inv_scale);
  const __mmask16 number = _mm512_cmp_ps_mask(scaled, scaled, _CMP_ORD_Q);
  const __m512i rounded = _mm512_maskz_cvtps_epi32(number, _mm512_min_ps(scaled, q->most));
  const __m512i moved = _mm512_add_epi32(rounded, q->zero_point);
  const __m512i bytes = _mm512_max_epi32(moved, _mm512_setzero_si512());
  _mm_mask_storeu_epi8(p, lanes, _mm512_cvtusepi32_epi8(bytes));
}

#include "kernels/x86/depthwise/dw_planes_f32.h"

void tarei_k_dw_planes_f32_f32_8x16__avx512(const tarei_dw_planes *p) {
  if (!TAREI_K(pf_run)(p)) {
    tarei_k_dw_planes_f32_f32_9x16__avx512(p);
  }
}
