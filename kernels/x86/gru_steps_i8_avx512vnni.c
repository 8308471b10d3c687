/* Steps of a small GRU in bytes by vpdpbusd. */
#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512VL__) || \
    !defined(__AVX512DQ__) || !defined(__AVX512VNNI__)
#error "needs AVX-512 F, BW, VL, DQ and VNNI"
#endif
#include "kernels/generic/recurrent/gru_steps16.h"

void tarei_k_gru_steps_i8_u8s8_4x16__avx512vnni(const tarei_gru_steps *g, size_t n) {
  gru_all(g, n, true);
}
