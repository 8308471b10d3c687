/* Hyperbolic functions of sixteen lanes and their inverses. */
#ifndef TAREI_KERNELS_GENERIC_MATH_HYPERBOLIC16_H
#define TAREI_KERNELS_GENERIC_MATH_HYPERBOLIC16_H

#include <float.h>

#include "kernels/generic/math/doubles16.h"

#define HYPERBOLIC_ROUND 0x1.8p52 /* adding it leaves the nearest integer in the low bits */
#define HYPERBOLIC_LN_2 0x1.62e42fefa39efp-1
#define HYPERBOLIC_MOST 90.0 /* e^90 is no float */

/* e^x for |x| <= 90 by the series on |r| <= ln 2 / 2; the first term left out is below 7e-12. */
TAREI_INLINE double hyperbolic_exp(double x) {
  const double sum = fma(x, 0x1.71547652b82fep+0, HYPERBOLIC_ROUND); /* 1 / ln 2 */
  const double r = fma(sum - HYPERBOLIC_ROUND, -HYPERBOLIC_LN_2, x), r2 = r * r;
  const double low = fma(r2, fma(r, 1.0 / 6, 0.5), 1.0 + r);
  const double middle = fma(r2, fma(r, 1.0 / 5040, 1.0 / 720), fma(r, 1.0 / 120, 1.0 / 24));
  const double high = fma(r, 1.0 / 362880, 1.0 / 40320);
  const double p = fma(r2 * r2, fma(r2 * r2, high, middle), low);
  uint64_t bits;
  memcpy(&bits, &sum, sizeof bits);
  bits = (bits + 1023) << 52;
  double power;
  memcpy(&power, &bits, sizeof power);
  return p * power;
}

/* log u for normal u >= 1 by the series of (m - 1) / (m + 1), m being within a factor of the square
 * root of 2 from 1; the first term left out is below 3e-12. */
TAREI_INLINE double hyperbolic_log(double u) {
  uint64_t bits;
  memcpy(&bits, &u, sizeof bits);
  const uint64_t shifted = bits - UINT64_C(0x3fe6a09e667f3bcd); /* half the root of 2 */
  const uint64_t mantissa = bits - (shifted >> 52 << 52);
  const uint64_t exponent = (shifted >> 52) + UINT64_C(0x4338000000000000); /* of ROUND */
  double m, k;
  memcpy(&m, &mantissa, sizeof m);
  memcpy(&k, &exponent, sizeof k);
  const double s = (m - 1) / (m + 1), s2 = s * s, s4 = s2 * s2;
  const double low = fma(s4, fma(s2, 1.0 / 7, 1.0 / 5), fma(s2, 1.0 / 3, 1.0));
  const double high = fma(s4, 1.0 / 13, fma(s2, 1.0 / 11, 1.0 / 9));
  return fma(k - HYPERBOLIC_ROUND, HYPERBOLIC_LN_2, 2 * s * fma(s4 * s4, high, low));
}

/* log (1 + t) for t >= 0; the square of a small t is known as well as t. */
TAREI_INLINE double hyperbolic_log_1p(double t) {
  return t < 1e-5 ? t - t * t / 2 : t <= DBL_MAX ? hyperbolic_log(1 + t) : t;
}

/* For a >= 0: the series up to 1, where the first term left out is below 2e-10. */
TAREI_INLINE double hyperbolic_sinh(double a) {
  const double e = hyperbolic_exp(a > HYPERBOLIC_MOST ? HYPERBOLIC_MOST : a), a2 = a * a;
  const double high = fma(a2, fma(a2, 1.0 / 39916800, 1.0 / 362880), 1.0 / 5040);
  const double series = fma(a2, fma(a2, fma(a2, high, 1.0 / 120), 1.0 / 6), 1.0);
  return a < 1 ? a * series : (e - 1 / e) / 2;
}

TAREI_INLINE double hyperbolic_cosh(double a) {
  const double e = hyperbolic_exp(a > HYPERBOLIC_MOST ? HYPERBOLIC_MOST : a);
  return (e + 1 / e) / 2;
}

TAREI_INLINE double hyperbolic_asinh(double a) {
  const double finite = a < (double)FLT_MAX ? a : (double)FLT_MAX, a2 = finite * finite;
  return hyperbolic_log_1p(a + a2 / (1 + sqrt(a2 + 1)));
}

/* Not a number below 1. */
TAREI_INLINE double hyperbolic_acosh(double x) {
  const double above = x - 1;
  return above < 0 ? (double)NAN : hyperbolic_log_1p(above + sqrt(above * (x + 1)));
}

/* Not a number above 1. */
TAREI_INLINE double hyperbolic_atanh(double a) {
  return a > 1 ? (double)NAN : hyperbolic_log_1p(2 * a / (1 - a)) / 2;
}

DOUBLE_LANES(hyperbolic_sinh_lanes, hyperbolic_sinh(x))
DOUBLE_LANES(hyperbolic_cosh_lanes, hyperbolic_cosh(x))
DOUBLE_LANES(hyperbolic_asinh_lanes, hyperbolic_asinh(x))
DOUBLE_LANES(hyperbolic_acosh_lanes, hyperbolic_acosh(x))
DOUBLE_LANES(hyperbolic_atanh_lanes, hyperbolic_atanh(x))

TAREI_INLINE v16 v_sinh(v16 x) {
  return v_copysign(hyperbolic_sinh_lanes(v_abs(x)), x);
}

TAREI_INLINE v16 v_cosh(v16 x) {
  return hyperbolic_cosh_lanes(v_abs(x));
}

TAREI_INLINE v16 v_asinh(v16 x) {
  return v_copysign(hyperbolic_asinh_lanes(v_abs(x)), x);
}

TAREI_INLINE v16 v_acosh(v16 x) {
  return hyperbolic_acosh_lanes(x);
}

TAREI_INLINE v16 v_atanh(v16 x) {
  return v_copysign(hyperbolic_atanh_lanes(v_abs(x)), x);
}

#endif
