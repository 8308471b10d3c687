#if !defined(__AVX2__) || !defined(__FMA__)
#error "needs AVX2 and FMA"
#endif
#include <immintrin.h>
#include <stdbool.h>

#define TAREI_ISA_SUFFIX avx2

#define PF_VECTOR __m256
#define PF_MASK __m256
#define PF_LANES 8
#define PF_PARTS false
#define pf_mask(n) ((void)(n), _mm256_castsi256_ps(_mm256_set1_epi32(-1)))
#define pf_known(mask, known) \
  _mm256_and_ps(mask, _mm256_castsi256_ps(_mm256_set1_epi32(-(int)(known))))
#define pf_load(mask, p) _mm256_and_ps(mask, _mm256_loadu_ps(p))
#define pf_store(p, mask, v) ((void)(mask), _mm256_storeu_ps(p, v))
#define pf_set1 _mm256_set1_ps
#define pf_add _mm256_add_ps
#define pf_fmadd _mm256_fmadd_ps
#define pf_min _mm256_min_ps
#define pf_max _mm256_max_ps
/* Else the compiler loads so much ahead that it runs out of registers. */
#define PF_KEEP(v) __asm__("" : "+x"(v))
#include "kernels/x86/depthwise/dw_planes_f32.h"

void tarei_k_dw_planes_f32_f32_8x8__avx2(const tarei_dw_planes *p) {
  if (!TAREI_K(pf_run)(p)) {
    tarei_k_dw_planes_f32_f32_9x16__avx2(p);
  }
}
