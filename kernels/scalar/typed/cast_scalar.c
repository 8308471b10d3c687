/* Casts between all types, and places of elements. */
#define TAREI_V16_SCALAR
#define TAREI_ISA_SUFFIX scalar
#include "kernels/generic/typed/cast_body.h"
#include "kernels/generic/typed/places_body.h"
