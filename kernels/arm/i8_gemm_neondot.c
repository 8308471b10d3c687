/* Both factors of sdot are signed: it takes x - 128, and 128 times the columns' sums are added. */
#if !defined(__ARM_FEATURE_DOTPROD)
#error "needs the dot product instructions"
#endif
#include <arm_neon.h>

#define TAREI_ISA_SUFFIX neondot
#define X_ZERO 128
#define DOT(sum, x, w) vdotq_s32(sum, vreinterpretq_s8_u8(veorq_u8(x, vdupq_n_u8(128))), w)
#include "kernels/arm/i8_gemm_body.h"

void tarei_k_i8_gemm_u8s8_6x16__neondot(const tarei_i8_gemm *g) {
  i8_dot_multiply(g);
}
