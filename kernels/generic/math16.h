/* Elementary functions of sixteen lanes, by polynomials over fused multiply-adds and without
 * division. NaN goes through; infinities give the limit. Coefficients: minimax fits on the stated
 * interval. */
#ifndef TAREI_KERNELS_GENERIC_MATH16_H
#define TAREI_KERNELS_GENERIC_MATH16_H

#include "kernels/generic/curve16.h"

#define LOG2_E 0x1.715476p+0f
#define LOG2_E_REST 0x1.4ae0cp-26f /* log2 e minus the float above */

/* Where the integer n of a sum of ROUND_MAGIC + bias + n stands as the exponent of a float. */
TAREI_INLINE v16 v_exponent(v16 shifted) {
  return i_as_float(i_shift_left(v_bits(shifted), 23));
}

/* (2^r - 1) / r for |r| <= 1/2 */
V16_FUNCTION v16 v_exp2_slope(v16 r) {
  v16 p = v_fma(v_set1(0.00132648242f), r, v_set1(0.00967150927f));
  p = v_fma(p, r, v_set1(0.0555073395f));
  p = v_fma(p, r, v_set1(0.240222424f));
  return v_fma(p, r, v_set1(0.693146944f));
}

/* e^x, relative error < 2e-7; below 2^-125.5 zero */
V16_FUNCTION v16 v_exp(v16 x) {
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
V16_FUNCTION v16 v_exp_minus(v16 size) {
  const v16 magic = v_set1(ROUND_MAGIC + 127.0f);
  const v16 bounded = v_min(v_set1(88.0f), size); /* n = -127 makes zero */
  const v16 shifted = v_fma(bounded, v_set1(-LOG2_E), magic);
  const v16 r = v_fma(bounded, v_set1(-LOG2_E), v_sub(magic, shifted));
  return v_mul(v_fma(v_exp2_slope(r), r, v_set1(1.0f)), v_exponent(shifted));
}

/* 1 / x from -x for x in 1..2: a parabola and two steps of Newton's */
V16_FUNCTION v16 v_reciprocal_of_negated(v16 minus_x) {
  const v16 one = v_set1(1.0f);
  v16 r = v_fma(v_set1(0.323232204f), minus_x, v_set1(1.45454509f));
  r = v_fma(r, minus_x, v_set1(2.12121186f));
  r = v_fma(r, v_fma(minus_x, r, one), r);
  return v_fma(r, v_fma(minus_x, r, one), r);
}

V16_FUNCTION v16 v_erf(v16 x) {
  return v_copysign(v_curve(erf_curve, ERF_PIECES, v_abs(x)), x);
}

/* relative error < 6e-7 */
V16_FUNCTION v16 v_tanh(v16 x) {
  /* -(1 - t) / (1 + t) with t = e^-2|x|; t - 1 without cancellation */
  const v16 magic = v_set1(ROUND_MAGIC + 127.0f);
  const v16 bounded = v_min(v_set1(43.5f), v_abs(x));
  const v16 shifted = v_fma(bounded, v_set1(-2.0f * LOG2_E), magic);
  const v16 r = v_fma(bounded, v_set1(-2.0f * LOG2_E), v_sub(magic, shifted));
  const v16 power = v_exponent(shifted);
  const v16 t_minus_1 = v_fma(v_mul(v_exp2_slope(r), r), power, v_sub(power, v_set1(1.0f)));
  const v16 inverse = v_reciprocal_of_negated(v_sub(v_set1(-2.0f), t_minus_1));
  return v_copysign(v_mul(t_minus_1, inverse), x);
}

/* absolute error < 2e-7 */
V16_FUNCTION v16 v_sigmoid(v16 x) {
  const v16 t = v_exp_minus(v_abs(x));
  const v16 above = v_reciprocal_of_negated(v_sub(v_set1(-1.0f), t));
  return v_select(v_less(x, v_set1(0.0f)), v_mul(above, t), above);
}

#endif
