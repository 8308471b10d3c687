#if !defined(__AVX512F__) || !defined(__AVX512BW__)
#error "needs AVX-512 F and BW"
#endif
#define TAREI_ISA_SUFFIX avx512
#include "kernels/x86/lut_u8_wide.h"
