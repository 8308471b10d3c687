/* The largest element of a row, and its largest magnitudes. */
#ifndef TAREI_KERNELS_GENERIC_AMAX16_H
#define TAREI_KERNELS_GENERIC_AMAX16_H

#include <math.h>

#include "kernels/generic/v16.h"

enum { QUARTER = TAREI_LANES, WHOLE = 4 * TAREI_LANES };

/* The largest element but NaN, -INFINITY without one. */
TAREI_INLINE float largest_element(const float *x, size_t n) {
  const v16 none = v_set1(-INFINITY);
  v16 best[4] = {none, none, none, none};
  size_t i = 0;
  for (; i + WHOLE <= n; i += WHOLE) {
#pragma GCC unroll 4
    for (size_t q = 0; q < 4; q++) {
      best[q] = v_max(v_load(x + i + q * QUARTER), best[q]); /* drops NaN */
    }
  }
  for (; i < n; i += QUARTER) {
    const size_t left = lanes_left(i, n);
    best[0] = v_select(m_first(left), v_max(v_load_n(x + i, left), best[0]), best[0]);
  }
  return v_reduce_max(v_max(v_max(best[0], best[1]), v_max(best[2], best[3])));
}

/* Magnitudes order like the integers of their bits, infinite and NaN above all others. */
TAREI_INLINE v16i larger_magnitude(v16i best, v16 x) {
  return i_max(best, v_bits(v_abs(x)));
}

TAREI_INLINE v16i largest_magnitudes(const float *x, size_t n) {
  v16i best[4] = {i_set1(0), i_set1(0), i_set1(0), i_set1(0)};
  size_t i = 0;
  for (; i + WHOLE <= n; i += WHOLE) {
#pragma GCC unroll 4
    for (size_t q = 0; q < 4; q++) {
      best[q] = larger_magnitude(best[q], v_load(x + i + q * QUARTER));
    }
  }
  for (; i < n; i += QUARTER) {
    best[0] = larger_magnitude(best[0], v_load_n(x + i, lanes_left(i, n)));
  }
  return i_max(i_max(best[0], best[1]), i_max(best[2], best[3]));
}

/* Largest finite magnitude, 0 without one. */
TAREI_INLINE float finite_amax(const float *x, size_t n) {
  const v16 beyond = v_set1(INFINITY);
  v16 best = v_set1(0.0f);
  for (size_t i = 0; i < n; i += TAREI_LANES) {
    const v16 size = v_abs(v_load_n(x + i, lanes_left(i, n)));
    best = v_select(v_less(size, beyond), v_max(size, best), best);
  }
  return v_reduce_max(best);
}

/* Largest finite magnitude, quickly where all are finite. */
TAREI_INLINE float row_amax(const float *x, size_t n) {
  const v16 largest = i_as_float(largest_magnitudes(x, n));
  const bool finite = m_count(v_less(largest, v_set1(INFINITY))) == TAREI_LANES;
  return finite ? v_reduce_max(largest) : finite_amax(x, n);
}

#endif
