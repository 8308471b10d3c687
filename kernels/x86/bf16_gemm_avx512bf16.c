/* Pairs of bf16 by vdpbf16ps, ascending k. */
#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512VL__) || \
    !defined(__AVX512DQ__) || !defined(__AVX512BF16__)
#error "needs AVX-512 F, BW, VL, DQ and BF16"
#endif
#include "kernels/registry.h"

#define TAREI_ISA_SUFFIX avx512bf16
#define GEMM tarei_bf16_gemm
/* gcc 12 spills the accumulators around the intrinsic. */
#define ADD_PRODUCTS(sum, x, w) __asm__("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(x), "v"(w))

TAREI_INLINE size_t gemm_steps(const GEMM *g) {
  return (g->k + 1) / 2;
}

#include "kernels/x86/float_blocks_avx512.h"

void tarei_k_bf16_gemm_bf16_14x32__avx512bf16(const tarei_bf16_gemm *g) {
  multiply_all(g);
}

static void convert_row(const float *x, size_t k, uint16_t *out) {
  for (size_t i = 0; i < k; i += LANES) {
    const size_t left = k - i < LANES ? k - i : LANES;
    const __mmask16 mask = (__mmask16)((1u << left) - 1u);
    const __mmask16 padded = (__mmask16)((1u << (left + left % 2)) - 1u);
    const __m256bh halves = _mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(mask, x + i));
    _mm256_mask_storeu_epi16(out + i, padded, (__m256i)halves);
  }
}

void tarei_k_to_bf16_f32bf16_16__avx512bf16(const float *x, size_t ldx, size_t m, size_t k,
                                            uint16_t *out, size_t ldo) {
  for (size_t i = 0; i < m; i++) {
    convert_row(x + i * ldx, k, out + i * ldo);
  }
}
