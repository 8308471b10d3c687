/* Functions of two numbers of any type. */
#define TAREI_V16_NEON
#define TAREI_ISA_SUFFIX neon
#include "kernels/generic/typed/pair_body.h"
