/* Casts between all types, and places of elements. */
#define TAREI_V16_NEON
#define TAREI_ISA_SUFFIX neon
#include "kernels/generic/typed/cast_body.h"
#include "kernels/generic/typed/places_body.h"
