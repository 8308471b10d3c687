/* Functions of two numbers of any type. */
#define TAREI_V16_SCALAR
#define TAREI_ISA_SUFFIX scalar
#include "kernels/generic/typed/pair_body.h"
