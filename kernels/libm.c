#include "kernels/libm.h"

#include <math.h>

#define DEFINE_LIBM(name)            \
  float tarei_libm_##name(float x) { \
    return name##f(x);               \
  }
TAREI_LIBM(DEFINE_LIBM)

/* The square root of -0 is 0 here, and of -inf inf. */
float tarei_libm_pow(float x, float y) {
  if (y == 0.5f && x != -INFINITY) {
    return sqrtf(x + 0.0f);
  }
  if (y == 3.0f) {
    const double wide = x;
    return (float)(wide * wide * wide);
  }
  return y == 2.0f ? x * x : powf(x, y);
}
