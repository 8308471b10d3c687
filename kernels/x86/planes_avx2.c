/* Loops over planes and rows of floats. */
#if !defined(__AVX2__) || !defined(__FMA__)
#error "needs AVX2 and FMA"
#endif
#define TAREI_ISA_SUFFIX avx2
#include "kernels/generic/arg_body.h"
#include "kernels/generic/products/plane_conv_body.h"
#include "kernels/generic/planes_body.h"
#include "kernels/generic/pooling/pool_planes_body.h"
