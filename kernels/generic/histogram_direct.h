/* Counting straight into the caller's tables: the oracle, and the right way for few elements. */
#ifndef TAREI_KERNELS_GENERIC_HISTOGRAM_DIRECT_H
#define TAREI_KERNELS_GENERIC_HISTOGRAM_DIRECT_H

#include <math.h>

#include "kernels/registry.h"

static inline void histogram_direct(const float *x, size_t n, int exponent, int bins,
                                    int64_t *positive, int64_t *negative) {
  const float last = (float)(bins - 1);
  for (size_t i = 0; i < n; i++) {
    const float size = fabsf(x[i]);
    if (!(size < INFINITY)) {
      continue;
    }
    const float bin = ldexpf(size, -exponent);
    int64_t *const table = x[i] < 0.0f ? negative : positive;
    table[(int)(bin < last ? bin : last)]++;
  }
}

#endif
