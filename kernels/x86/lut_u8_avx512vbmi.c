#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512VBMI__)
#error "needs AVX-512 F, BW and VBMI"
#endif
#define TAREI_ISA_SUFFIX avx512vbmi
#include "kernels/x86/lut_u8_wide.h"
