#include "kernels/libm.h"

#include <math.h>

float tarei_libm_cos(float x) {
  return cosf(x);
}

float tarei_libm_expm1(float x) {
  return expm1f(x);
}

float tarei_libm_log(float x) {
  return logf(x);
}

float tarei_libm_sin(float x) {
  return sinf(x);
}

/* log(1 + e^x), written so that e^x does not overflow */
float tarei_libm_softplus(float x) {
  return x > 0.0f ? x + log1pf(expf(-x)) : log1pf(expf(x));
}

float tarei_libm_pow(float x, float y) {
  return y == 2.0f ? x * x : powf(x, y);
}
