/* Trigonometric functions of sixteen lanes and their inverses. */
#ifndef TAREI_KERNELS_GENERIC_MATH_TRIG16_H
#define TAREI_KERNELS_GENERIC_MATH_TRIG16_H

#include "kernels/generic/math/doubles16.h"
#include "kernels/generic/math/libm16.h"

#define TRIG_ROUND 0x1.8p52               /* adding it leaves the nearest integer in the low bits */
#define TRIG_MOST 0x1p20f                 /* of quarter turns enough bits are left below it */
#define TRIG_QUARTER 0x1.921fb54442d18p+0 /* pi / 2 */
#define TRIG_QUARTER_REST 0x1.1a62633145c07p-54

/* By the series on |r| <= pi / 4; the first terms left out are below 7e-12 and 4e-13. */
TAREI_INLINE double trig_sin_near(double r, double r2) {
  const double low = fma(r2, fma(r2, 1.0 / 120, -1.0 / 6), 1.0);
  const double high = fma(r2, fma(r2, -1.0 / 39916800, 1.0 / 362880), -1.0 / 5040);
  return r * fma(r2 * r2 * r2, high, low);
}

TAREI_INLINE double trig_cos_near(double r2) {
  const double low = fma(r2, fma(r2, 1.0 / 24, -0.5), 1.0);
  const double middle = fma(r2, 1.0 / 40320, -1.0 / 720);
  const double high = fma(r2, 1.0 / 479001600, -1.0 / 3628800);
  return fma(r2 * r2 * r2, fma(r2 * r2, high, middle), low);
}

/* x less the nearest multiple k of a quarter turn, whose last bits are those of `quarters`. */
TAREI_INLINE double trig_rest(double x, uint64_t *quarters) {
  const double sum = fma(x, 0x1.45f306dc9c883p-1, TRIG_ROUND); /* 2 / pi */
  const double k = sum - TRIG_ROUND;
  memcpy(quarters, &sum, sizeof *quarters);
  return fma(-k, TRIG_QUARTER_REST, fma(-k, TRIG_QUARTER, x));
}

/* The sine of x and some quarter turns. */
TAREI_INLINE double trig_sin(double x, uint64_t more) {
  uint64_t quarters;
  const double r = trig_rest(x, &quarters), r2 = r * r;
  quarters += more;
  const double y = quarters & 1 ? trig_cos_near(r2) : trig_sin_near(r, r2);
  return quarters & 2 ? -y : y;
}

TAREI_INLINE double trig_tan(double x) {
  uint64_t quarters;
  const double r = trig_rest(x, &quarters), r2 = r * r;
  const double sine = trig_sin_near(r, r2), cosine = trig_cos_near(r2);
  return (quarters & 1 ? -cosine : sine) / (quarters & 1 ? sine : cosine);
}

/* Lanes of too many turns are libm's. */
TAREI_INLINE v16 trig_or_libm(v16 near, v16 x, tarei_libm_fn *f) {
  const v16m plain = v_less(v_abs(x), v_set1(TRIG_MOST));
  return m_count(plain) == TAREI_LANES ? near : v_select(plain, near, v_each(f, x));
}

DOUBLE_LANES(trig_sin_lanes, trig_sin(x, 0))
DOUBLE_LANES(trig_cos_lanes, trig_sin(x, 1))
DOUBLE_LANES(trig_tan_lanes, trig_tan(x))

TAREI_INLINE v16 v_sin(v16 x) {
  return trig_or_libm(trig_sin_lanes(x), x, tarei_libm_sin);
}

TAREI_INLINE v16 v_cos(v16 x) {
  return trig_or_libm(trig_cos_lanes(x), x, tarei_libm_cos);
}

TAREI_INLINE v16 v_tan(v16 x) {
  return trig_or_libm(trig_tan_lanes(x), x, tarei_libm_tan);
}

/* pi / 2 - atan 1 / a, pi / 4 + atan (a - 1) / (a + 1) or a itself, so that the series is of at
 * most the tangent of pi / 8; the first term left out is below 7e-11. */
TAREI_INLINE double trig_atan(double a) {
  const bool large = a > 0x1.3504f333f9de6p+1, middle = a > 0x1.a827999fcef34p-2;
  const double over = large ? -1 : middle ? a - 1 : a;
  const double under = large ? a : middle ? a + 1 : 1;
  const double from = large ? TRIG_QUARTER : middle ? TRIG_QUARTER / 2 : 0;
  const double u = over / under, u2 = u * u, u4 = u2 * u2, u8 = u4 * u4;
  const double first = fma(u4, fma(u2, -1.0 / 7, 1.0 / 5), fma(u2, -1.0 / 3, 1.0));
  const double second = fma(u4, fma(u2, -1.0 / 15, 1.0 / 13), fma(u2, -1.0 / 11, 1.0 / 9));
  const double third = fma(u4, 1.0 / 21, fma(u2, -1.0 / 19, 1.0 / 17));
  return from + u * fma(u8, fma(u8, third, second), first);
}

DOUBLE_LANES(trig_atan_lanes, trig_atan(x))
DOUBLE_LANES(trig_asin_lanes, trig_atan(x / sqrt((1 - x) * (1 + x))))
DOUBLE_LANES(trig_acos_lanes, 2 * trig_atan(sqrt((1 - x) / (1 + x))))

TAREI_INLINE v16 v_atan(v16 x) {
  return v_copysign(trig_atan_lanes(v_abs(x)), x);
}

TAREI_INLINE v16 v_asin(v16 x) {
  return v_copysign(trig_asin_lanes(v_abs(x)), x);
}

TAREI_INLINE v16 v_acos(v16 x) {
  return trig_acos_lanes(x);
}

#endif
