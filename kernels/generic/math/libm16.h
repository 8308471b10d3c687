/* Functions that libm has, of sixteen lanes one at a time. */
#ifndef TAREI_KERNELS_GENERIC_MATH_LIBM16_H
#define TAREI_KERNELS_GENERIC_MATH_LIBM16_H

#include "kernels/generic/v16.h"
#include "kernels/libm.h"

TAREI_INLINE v16 v_each(tarei_libm_fn *f, v16 x) {
  float lanes[TAREI_LANES];
  v_store(lanes, x);
  for (int i = 0; i < TAREI_LANES; i++) {
    lanes[i] = f(lanes[i]);
  }
  return v_load(lanes);
}

TAREI_INLINE v16 v_pow_each(v16 x, v16 y) {
  float base[TAREI_LANES], exponent[TAREI_LANES];
  v_store(base, x);
  v_store(exponent, y);
  for (int i = 0; i < TAREI_LANES; i++) {
    base[i] = tarei_libm_pow(base[i], exponent[i]);
  }
  return v_load(base);
}

#endif
