/* Functions of sixteen lanes that are computed in double and rounded once: plain loops, of which
 * the compiler makes vectors for each ISA, without operations that round differently on one of
 * them. */
#ifndef TAREI_KERNELS_GENERIC_MATH_DOUBLES16_H
#define TAREI_KERNELS_GENERIC_MATH_DOUBLES16_H

#include <math.h>
#include <string.h>

#include "kernels/generic/v16.h"

/* EXPRESSION in the lane x, in double */
#define DOUBLE_LANES(name, expression)      \
  TAREI_INLINE v16 name(v16 lanes) {        \
    float each[TAREI_LANES];                \
    v_store(each, lanes);                   \
    for (int i = 0; i < TAREI_LANES; i++) { \
      const double x = (double)each[i];     \
      each[i] = (float)(expression);        \
    }                                       \
    return v_load(each);                    \
  }

#endif
