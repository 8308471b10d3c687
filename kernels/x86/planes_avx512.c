/* Loops over planes and rows of floats. */
#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512VL__) || \
    !defined(__AVX512DQ__)
#error "needs AVX-512 F, BW, VL and DQ"
#endif
#define TAREI_ISA_SUFFIX avx512
#include "kernels/generic/arg_body.h"
#include "kernels/generic/products/plane_conv_body.h"
#include "kernels/generic/planes_body.h"
#include "kernels/generic/pooling/pool_planes_body.h"
