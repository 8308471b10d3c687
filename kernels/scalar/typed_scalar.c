/* Loops over elements of all types. */
#define TAREI_ISA_SUFFIX scalar
#include "kernels/generic/cast_body.h"
#include "kernels/generic/reduce_body.h"
