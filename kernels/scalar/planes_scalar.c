/* Loops over planes: channels-first. */
#define TAREI_ISA_SUFFIX scalar
#include "kernels/generic/planes_body.h"
