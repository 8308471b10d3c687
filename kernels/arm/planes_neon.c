/* Loops over planes: channels-first. */
#define TAREI_V16_NEON
#define TAREI_ISA_SUFFIX neon
#include "kernels/generic/planes_body.h"
