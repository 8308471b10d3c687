/* Loops over planes and rows of floats. */
#define TAREI_V16_NEON
#define TAREI_ISA_SUFFIX neon
#include "kernels/generic/arg_body.h"
#include "kernels/generic/products/plane_conv_body.h"
#include "kernels/generic/planes_body.h"
#include "kernels/generic/pooling/pool_planes_body.h"
