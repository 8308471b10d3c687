#if !defined(__ARM_FEATURE_DOTPROD) || !defined(__ARM_FEATURE_MATMUL_INT8)
#error "needs the dot product and int8 matrix instructions"
#endif
#include <arm_neon.h>

#define TAREI_ISA_SUFFIX neoni8mm
#define X_ZERO 0
#define DOT(sum, x, w) vusdotq_s32(sum, x, w)
#include "kernels/arm/i8_gemm_body.h"

void tarei_k_i8_gemm_u8s8_6x16__neoni8mm(const tarei_i8_gemm *g) {
  i8_dot_multiply(g);
}
