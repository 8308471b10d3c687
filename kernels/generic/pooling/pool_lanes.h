/* Lanes of windows. */
#ifndef TAREI_KERNELS_GENERIC_POOLING_POOL_LANES_H
#define TAREI_KERNELS_GENERIC_POOLING_POOL_LANES_H

#include "kernels/generic/v16.h"

/* Elements of one row of windows that lanes take: those of channels side by side, or the same of
 * several windows `apart` from one another. */
TAREI_INLINE v16 pool_lanes(const float *from, size_t apart, size_t n) {
  if (apart == 1) {
    return v_load_n(from, n);
  }
  float x[TAREI_LANES] = {0};
  if (n == TAREI_LANES) { /* a number that the compiler knows */
    for (size_t l = 0; l < TAREI_LANES; l++) {
      x[l] = from[l * apart];
    }
    return v_load(x);
  }
  for (size_t l = 0; l < n; l++) {
    x[l] = from[l * apart];
  }
  return v_load(x);
}

#endif
