#if !defined(__AVX512F__)
#error "needs AVX-512 F"
#endif
#include <immintrin.h>
#include <stdbool.h>

#define TAREI_ISA_SUFFIX avx512

#define PF_VECTOR __m512
#define PF_MASK __mmask16
#define PF_LANES 16
#define PF_PARTS true
#define PF_BYTES 0
#define pf_mask(n) ((n) < PF_LANES ? (__mmask16)((1u << (n)) - 1u) : (__mmask16)0xffff)
#define pf_known(mask, known) ((known) ? (mask) : (__mmask16)0)
#define pf_load _mm512_maskz_loadu_ps
#define pf_store _mm512_mask_storeu_ps
#define pf_set1 _mm512_set1_ps
#define pf_add _mm512_add_ps
#define pf_fmadd _mm512_fmadd_ps
#define pf_min _mm512_min_ps
#define pf_max _mm512_max_ps
#define PF_KEEP(v) __asm__("" : "+v"(v))
#include "kernels/x86/depthwise/dw_planes_f32.h"

void tarei_k_dw_planes_f32_f32_8x16__avx512(const tarei_dw_planes *p) {
  if (!TAREI_K(pf_run)(p)) {
    tarei_k_dw_planes_f32_f32_9x16__avx512(p);
  }
}
