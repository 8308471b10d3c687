/* Reductions of all types. */
#define TAREI_V16_SCALAR
#define TAREI_ISA_SUFFIX scalar
#include "kernels/generic/typed/reduce_body.h"
