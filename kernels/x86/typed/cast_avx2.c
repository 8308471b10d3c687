/* Casts between all types, and places of elements. */
#if !defined(__AVX2__) || !defined(__FMA__)
#error "needs AVX2 and FMA"
#endif
#define TAREI_ISA_SUFFIX avx2
#include "kernels/generic/typed/cast_body.h"
#include "kernels/generic/typed/places_body.h"
