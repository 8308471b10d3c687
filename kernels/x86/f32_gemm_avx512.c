/* One fused chain an output over ascending k. */
#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512VL__) || \
    !defined(__AVX512DQ__)
#error "needs AVX-512 F, BW, VL and DQ"
#endif
#include "kernels/registry.h"

#define TAREI_ISA_SUFFIX avx512
#define GEMM tarei_f32_gemm
#define ADD_PRODUCTS(sum, x, w) ((sum) = _mm512_fmadd_ps(x, w, sum))

TAREI_INLINE size_t gemm_steps(const GEMM *g) {
  return g->k;
}

#include "kernels/x86/float_blocks_avx512.h"

void tarei_k_f32_gemm_f32_14x32__avx512(const tarei_f32_gemm *g) {
  multiply_all(g);
}
