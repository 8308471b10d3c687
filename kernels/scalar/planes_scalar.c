/* Loops over planes and rows of floats. */
#define TAREI_V16_SCALAR
#define TAREI_ISA_SUFFIX scalar
#include "kernels/generic/arg_body.h"
#include "kernels/generic/products/plane_conv_body.h"
#include "kernels/generic/planes_body.h"
#include "kernels/generic/pooling/pool_planes_body.h"
