/* Reductions of all types. */
#define TAREI_V16_NEON
#define TAREI_ISA_SUFFIX neon
#include "kernels/generic/typed/reduce_body.h"
