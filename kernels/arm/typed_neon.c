/* Loops over elements of all types. */
#define TAREI_V16_NEON
#define TAREI_ISA_SUFFIX neon
#include "kernels/generic/cast_body.h"
#include "kernels/generic/reduce_body.h"
