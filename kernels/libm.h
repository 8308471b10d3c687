/* Functions taken from libm an element at a time. They are compiled once, so that every ISA gives
 * the same bits. */
#ifndef TAREI_KERNELS_LIBM_H
#define TAREI_KERNELS_LIBM_H

#include "kernels/kernels.h"

typedef float tarei_libm_fn(float x);

tarei_libm_fn tarei_libm_cos;
tarei_libm_fn tarei_libm_expm1;
tarei_libm_fn tarei_libm_log;
tarei_libm_fn tarei_libm_sin;
tarei_libm_fn tarei_libm_softplus;
float tarei_libm_pow(float x, float y);

#endif
