/* Reductions of all types. */
#if !defined(__AVX2__) || !defined(__FMA__)
#error "needs AVX2 and FMA"
#endif
#define TAREI_ISA_SUFFIX avx2
#include "kernels/generic/typed/reduce_body.h"
