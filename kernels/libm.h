/* Functions taken from libm an element at a time. They are compiled once, so that every ISA gives
 * the same bits. */
#ifndef TAREI_KERNELS_LIBM_H
#define TAREI_KERNELS_LIBM_H

#include "kernels/kernels.h"

typedef float tarei_libm_fn(float x);

/* X(name) for the functions that libm has under this name with an f behind it. */
#define TAREI_LIBM(X) \
  X(cos)              \
  X(log)              \
  X(sin)              \
  X(tan)

#define TAREI_LIBM_DECLARE(name) tarei_libm_fn tarei_libm_##name;
TAREI_LIBM(TAREI_LIBM_DECLARE)
#undef TAREI_LIBM_DECLARE
float tarei_libm_pow(float x, float y);

#endif
