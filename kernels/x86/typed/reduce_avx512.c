/* Reductions of all types. */
#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512VL__) || \
    !defined(__AVX512DQ__)
#error "needs AVX-512 F, BW, VL and DQ"
#endif
#define TAREI_ISA_SUFFIX avx512
#include "kernels/generic/typed/reduce_body.h"
