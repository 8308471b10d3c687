/* Loops over elements of all types. */
#define TAREI_V16_SCALAR
#define TAREI_ISA_SUFFIX scalar
#include "kernels/generic/typed/cast_body.h"
#include "kernels/generic/typed/pair_body.h"
#include "kernels/generic/typed/places_body.h"
#include "kernels/generic/typed/reduce_body.h"
