/* Elementary functions of sixteen lanes, by polynomials over fused multiply-adds. NaN goes through;
 * infinities give the limit. Coefficients: minimax fits on the stated interval. */
#ifndef TAREI_KERNELS_GENERIC_MATH_MATH16_H
#define TAREI_KERNELS_GENERIC_MATH_MATH16_H

#include <math.h>

#include "kernels/generic/math/curve16.h"

#define LOG2_E 0x1.715476p+0f
#define LOG2_E_REST 0x1.4ae0cp-26f /* log2 e minus the float above */

#define LN_2 0x1.62e4p-1f /* n times it is exact for the n of floats */
#define LN_2_REST 0x1.7f7d1cp-20f
#define ROOT_OF_HALF 0x3f3504f3 /* as bits */

/* Where the integer n of a sum of ROUND_MAGIC + bias + n stands as the exponent of a float. */
TAREI_INLINE v16 v_exponent(v16 shifted) {
  return i_as_float(i_shift_left(v_bits(shifted), 23));
}

/* (2^r - 1) / r for |r| <= 1/2 */
TAREI_INLINE v16 v_exp2_slope(v16 r) {
  v16 p = v_fma(v_set1(0.00132648242f), r, v_set1(0.00967150927f));
  p = v_fma(p, r, v_set1(0.0555073395f));
  p = v_fma(p, r, v_set1(0.240222424f));
  return v_fma(p, r, v_set1(0.693146944f));
}

/* The same with a relative error < 2e-8, for where r is small */
TAREI_INLINE v16 v_exp2_slope_near(v16 r) {
  v16 p = v_fma(v_set1(0.000154035122f), r, v_set1(0.00133907353f));
  p = v_fma(p, r, v_set1(0.00961823761f));
  p = v_fma(p, r, v_set1(0.0555035733f));
  p = v_fma(p, r, v_set1(0.240226492f));
  return v_fma(p, r, v_set1(0.693147182f));
}

/* e^x, relative error < 2e-7; below 2^-125.5 zero */
TAREI_INLINE v16 v_exp(v16 x) {
  /* half of 2^n, since 2^128 is no float */
  const v16 magic = v_set1(ROUND_MAGIC + 126.0f);
  const v16 bounded = v_max(v_set1(-87.5f), v_min(v_set1(88.8f), x));
  const v16 shifted = v_fma(bounded, v_set1(LOG2_E), magic);
  v16 r = v_fma(bounded, v_set1(LOG2_E), v_sub(magic, shifted));
  r = v_fma(bounded, v_set1(LOG2_E_REST), r);
  const v16 p = v_fma(v_exp2_slope(r), r, v_set1(1.0f));
  return v_mul(v_add(p, p), v_exponent(shifted));
}

/* e^-size for size >= 0, absolute error < 2e-7 */
TAREI_INLINE v16 v_exp_minus(v16 size) {
  const v16 magic = v_set1(ROUND_MAGIC + 127.0f);
  const v16 bounded = v_min(v_set1(88.0f), size); /* n = -127 makes zero */
  const v16 shifted = v_fma(bounded, v_set1(-LOG2_E), magic);
  const v16 r = v_fma(bounded, v_set1(-LOG2_E), v_sub(magic, shifted));
  return v_mul(v_fma(v_exp2_slope(r), r, v_set1(1.0f)), v_exponent(shifted));
}

TAREI_INLINE v16 v_erf(v16 x) {
  return v_copysign(v_curve(erf_curve, ERF_PIECES, v_abs(x)), x);
}

/* t = tanh(r log 2 / 2) for |r| <= 1/2: 2^r = (1 + t) / (1 - t) */
TAREI_INLINE v16 v_exp2_tangent(v16 r) {
  const v16 square = v_mul(r, r);
  v16 p = v_fma(v_set1(0.0006536285f), square, v_set1(-0.013874615f));
  p = v_fma(p, square, v_set1(0.34657356f));
  return v_mul(p, r);
}

/* (e^2x - 1) / (e^2x + 1), absolute error < 1.6e-7, relative error < 4e-7. With e^2x = w 2^r both
 * are multiplied by 1 - t. Negated differences keep the sign of zero. */
TAREI_INLINE v16 v_tanh(v16 x) {
  const v16 one = v_set1(1.0f), magic = v_set1(ROUND_MAGIC + 127.0f);
  const v16 bounded = v_max(v_set1(-10.0f), v_min(v_set1(10.0f), x));
  const v16 shifted = v_fma(bounded, v_set1(2.0f * LOG2_E), magic);
  const v16 r = v_fma(bounded, v_set1(2.0f * LOG2_E), v_neg(v_sub(shifted, magic)));
  const v16 t = v_exp2_tangent(r), w = v_exponent(shifted);
  const v16 less = v_sub(one, w), more = v_add(one, w);
  return v_div(v_fma(t, more, v_neg(less)), v_fma(v_neg(t), less, more));
}

/* e^x - 1, relative error < 3e-7: above 1 of e^x, below without cancellation */
TAREI_INLINE v16 v_expm1(v16 x) {
  const v16 one = v_set1(1.0f), magic = v_set1(ROUND_MAGIC + 127.0f);
  const v16 bounded = v_max(v_set1(-43.5f), v_min(one, x));
  const v16 shifted = v_fma(bounded, v_set1(LOG2_E), magic);
  v16 r = v_fma(bounded, v_set1(LOG2_E), v_sub(magic, shifted));
  r = v_fma(bounded, v_set1(LOG2_E_REST), r);
  const v16 power = v_exponent(shifted);
  const v16 below = v_fma(v_mul(v_exp2_slope_near(r), r), power, v_sub(power, one));
  return v_select(v_less(one, x), v_sub(v_exp(x), one), below);
}

/* log(1 + t) / t for t in 0..1 */
TAREI_INLINE v16 v_log1p_slope(v16 t) {
  static const float terms[] = {-0.00324402517f, 0.0198514629f, -0.0569595359f, 0.106036551f,
                                -0.153055921f,   0.196759388f,  -0.249541342f,  0.333299637f,
                                -0.499999017f,   1.0f};
  v16 p = v_set1(terms[0]);
  for (size_t i = 1; i < sizeof terms / sizeof *terms; i++) {
    p = v_fma(p, t, v_set1(terms[i]));
  }
  return p;
}

/* log(1 + e^x), relative error < 3e-7; zero where e^x is */
TAREI_INLINE v16 v_softplus(v16 x) {
  const v16 t = v_exp(v_neg(v_abs(x)));
  return v_fma(v_log1p_slope(t), t, v_max(v_set1(0.0f), x));
}

/* Relative error < 2e-7: n log 2 + log(1 + f), with 1 + f between the roots of 1/2 and 2. NaN below
 * zero. */
TAREI_INLINE v16 v_log(v16 x) {
  static const float terms[] = {-0.0763449967f, 0.12761578f,  -0.131601825f, 0.142017573f,
                                -0.166233569f,  0.200012267f, -0.250008196f, 0.333333313f};
  const v16 least = v_set1(0x1p-126f), zero = v_set1(0.0f), inf = v_set1(INFINITY);
  const v16m subnormal = v_less(x, least);
  const v16i bits = v_bits(v_select(subnormal, v_mul(x, v_set1(0x1p23f)), x));
  const v16i n = i_shift_right(i_sub(bits, i_set1(ROOT_OF_HALF)), 23);
  const v16 f = v_sub(i_as_float(i_sub(bits, i_shift_left(n, 23))), v_set1(1.0f));
  v16 p = v_set1(terms[0]);
  for (size_t i = 1; i < sizeof terms / sizeof *terms; i++) {
    p = v_fma(p, f, v_set1(terms[i]));
  }
  const v16 halvings = v_add(i_to_float(n), v_select(subnormal, v_set1(-23.0f), zero));
  const v16 tail =
      v_fma(v_mul(f, f), v_fma(p, f, v_set1(-0.5f)), v_mul(halvings, v_set1(LN_2_REST)));
  const v16 y = v_fma(halvings, v_set1(LN_2), v_add(tail, f));
  const v16 at_most_zero = v_select(v_less(x, zero), v_set1(NAN), v_sub(x, inf));
  return v_select(v_less(zero, x), v_select(v_less(x, inf), y, x), at_most_zero);
}

/* 1 / (1 + e^-x), absolute error < 1e-7; zero where e^-x is infinite. With e^-x = w 2^r both are
 * multiplied by 1 - t. */
TAREI_INLINE v16 v_sigmoid(v16 x) {
  const v16 one = v_set1(1.0f), magic = v_set1(ROUND_MAGIC + 127.0f);
  const v16 bounded = v_max(v_set1(-88.8f), v_min(v_set1(88.0f), x)); /* n = -127..128 */
  const v16 shifted = v_fma(bounded, v_set1(-LOG2_E), magic);
  const v16 t = v_exp2_tangent(v_fma(bounded, v_set1(-LOG2_E), v_sub(magic, shifted)));
  const v16 less = v_sub(one, t);
  return v_div(less, v_fma(v_exponent(shifted), v_add(one, t), less));
}

#endif
