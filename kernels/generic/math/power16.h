/* Powers of sixteen lanes, in double: 2^(y log2 x). Plain loops, of which the compiler makes
 * vectors for each ISA, without operations that round differently on one of them. */
#ifndef TAREI_KERNELS_GENERIC_MATH_POWER16_H
#define TAREI_KERNELS_GENERIC_MATH_POWER16_H

#include <math.h>
#include <string.h>

#include "kernels/generic/math/libm16.h"

#define POWER_BIAS 1023
#define POWER_ROOT_OF_HALF 0x3fe6a09e667f3bcdu /* as bits */
#define POWER_ONE 0x3ff0000000000000u
#define POWER_INTEGER 0x1p52 /* the bits of its mantissa are an integer that is added */

TAREI_INLINE uint64_t power_bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

TAREI_INLINE double power_of_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* log2 of x > 0: n + log2 m, with m between the roots of 1/2 and 2, of which s = (m - 1) / (m + 1)
 * has the series 2 / log 2 (s + s^3 / 3 + s^5 / 5 ...); the first term left out is below 7e-13.
 * Terms are added by pairs, which wait less for one another. */
TAREI_INLINE double power_log2(double x) {
  const uint64_t shifted = power_bits(x) + (POWER_ONE - POWER_ROOT_OF_HALF);
  const double n =
      power_of_bits(shifted >> 52 | power_bits(POWER_INTEGER)) - (POWER_INTEGER + POWER_BIAS);
  const double m = power_of_bits((shifted & 0xfffffffffffffu) + POWER_ROOT_OF_HALF);
  const double s = (m - 1) / (m + 1), s2 = s * s, s4 = s2 * s2;
  const double low = fma(s4, fma(s2, 1.0 / 7, 1.0 / 5), fma(s2, 1.0 / 3, 1.0));
  const double high = fma(s4, 1.0 / 13, fma(s2, 1.0 / 11, 1.0 / 9));
  return fma(s * 0x1.71547652b82fep+1, fma(s4 * s4, high, low), n); /* 2 / log 2 */
}

/* 2^z by the series of e^(r log 2), |r| <= 1/2; the first term left out is below 8e-12. Beyond what
 * floats can be, it stays beyond. */
TAREI_INLINE double power_exp2(double z) {
  const double magic = 1.5 * POWER_INTEGER + POWER_BIAS;
  const double bounded = z < -300 ? -300 : z > 300 ? 300 : z;
  const double sum = bounded + magic;
  const double r = (bounded - (sum - magic)) * 0x1.62e42fefa39efp-1, r2 = r * r, r4 = r2 * r2;
  const double low = fma(r2, fma(r, 1.0 / 6, 0.5), r + 1);
  const double middle = fma(r2, fma(r, 1.0 / 5040, 1.0 / 720), fma(r, 1.0 / 120, 1.0 / 24));
  const double high = fma(r, 1.0 / 362880, 1.0 / 40320);
  return fma(r4, fma(r4, high, middle), low) * power_of_bits(power_bits(sum) << 52);
}

/* Lanes that are finite, with an exponent that makes no square or root. */
TAREI_INLINE v16m power_plain(v16 x, v16 y) {
  const v16 inf = v_set1(INFINITY), zero = v_set1(0.0f);
  const v16m finite = m_and(v_less(v_abs(x), inf), v_less(v_abs(y), inf));
  const v16m square = v_less(zero, v_abs(v_sub(y, v_set1(2.0f))));
  const v16m root = v_less(zero, v_abs(v_sub(y, v_set1(0.5f))));
  return m_and(finite, m_and(square, root));
}

TAREI_INLINE v16 power_of_all(v16 x, v16 y) {
  float base[TAREI_LANES], exponent[TAREI_LANES];
  v_store(base, x);
  v_store(exponent, y);
  for (int i = 0; i < TAREI_LANES; i++) {
    const double e = (double)exponent[i];
    const double of_zero = e > 0 ? 0 : e < 0 ? (double)INFINITY : 1;
    const double power = power_exp2(e * power_log2((double)base[i]));
    base[i] = (float)(base[i] == 0.0f ? of_zero : power);
  }
  return v_load(base);
}

TAREI_INLINE double power_nearest(double x) {
  return x + 1.5 * POWER_INTEGER - 1.5 * POWER_INTEGER;
}

/* By what the power of |x| is multiplied: -1 below zero and for -0 with an odd exponent, NaN below
 * zero with one that is no integer. */
TAREI_INLINE v16 power_signs(v16 x, v16 y) {
  float base[TAREI_LANES], exponent[TAREI_LANES];
  v_store(base, v_copysign(v_set1(1.0f), x));
  v_store(exponent, y);
  for (int i = 0; i < TAREI_LANES; i++) {
    const double e = (double)exponent[i];
    const bool integer = power_nearest(e) == e, even = power_nearest(e / 2) == e / 2;
    const float sign = even ? 1.0f : integer ? base[i] : NAN;
    exponent[i] = base[i] < 0 ? sign : 1.0f;
  }
  const v16 signs = v_load(exponent);
  const v16 of_zero = v_select(v_less(signs, v_set1(0.0f)), signs, v_set1(1.0f));
  return v_select(v_less(v_set1(0.0f), v_abs(x)), signs, of_zero);
}

/* In double, where x * x is exact. */
TAREI_INLINE v16 v_cube(v16 x) {
  float base[TAREI_LANES];
  v_store(base, x);
  for (int i = 0; i < TAREI_LANES; i++) {
    const double wide = (double)base[i];
    base[i] = (float)(wide * wide * wide);
  }
  return v_load(base);
}

/* Lanes with the exponent 3, to which no other float is nearer than 2^-23. */
TAREI_INLINE v16m power_cubic(v16 y) {
  return v_less(v_abs(v_sub(y, v_set1(3.0f))), v_set1(0x1p-23f));
}

/* Off by at most 0.51 times the distance of the floats beside it; other lanes are libm's. No lane
 * depends on its neighbours. */
TAREI_INLINE v16 v_pow(v16 x, v16 y) {
  const v16m cubic = power_cubic(y);
  if (m_count(cubic) == TAREI_LANES) {
    return v_cube(x);
  }
  const v16m plain = power_plain(x, y);
  const v16m positive = v_less(v_set1(0.0f), x);
  v16 power = power_of_all(v_abs(x), y);
  if (m_count(positive) < TAREI_LANES) {
    power = v_mul(power, power_signs(x, y));
  }
  power = m_count(plain) == TAREI_LANES ? power : v_select(plain, power, v_pow_each(x, y));
  return m_count(cubic) == 0 ? power : v_select(cubic, v_cube(x), power);
}

#endif
