/* Elementary functions of sixteen lanes, by polynomials and without fused multiply-adds. NaN goes
 * through; infinities give the limit. Coefficients: minimax fits on the stated interval. */
#ifndef TAREI_KERNELS_GENERIC_MATH16_H
#define TAREI_KERNELS_GENERIC_MATH16_H

#include "kernels/generic/v16.h"

/* Adding it rounds |x| < 2^22 half to even and leaves the integer in the low bits. */
#define ROUND_MAGIC 12582912.0f
#define ROUND_MAGIC_BITS 0x4b400000

/* 2^n for n in -126..127 */
TAREI_INLINE v16 v_power_of_two(v16i n) {
  return i_as_float(i_shift_left(i_add(n, i_set1(127)), 23));
}

/* relative error < 2e-7; results below the normal range are zero */
V16_FUNCTION v16 v_exp(v16 x) {
  const v16 bounded = v_max(v_set1(-88.0f), v_min(v_set1(88.8f), x));
  const v16 shifted = v_mul_add(bounded, v_set1(0x1.715476p+0f), v_set1(ROUND_MAGIC));
  const v16 whole = v_sub(shifted, v_set1(ROUND_MAGIC));
  /* ln 2 in two parts: whole * high is exact */
  const v16 high = v_sub(bounded, v_mul(whole, v_set1(0.693359375f)));
  const v16 r = v_sub(high, v_mul(whole, v_set1(-2.12194440e-4f)));
  /* (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2 */
  v16 p = v_mul_add(v_set1(0.00139517197f), r, v_set1(0.00836959854f));
  p = v_mul_add(p, r, v_set1(0.0416661873f));
  p = v_mul_add(p, r, v_set1(0.166665122f));
  p = v_mul_add(p, r, v_set1(0.5f));
  p = v_add(v_mul_add(p, v_mul(r, r), r), v_set1(1.0f));
  /* 2^128 is no float: scale in two steps */
  const v16i n = i_sub(v_bits(shifted), i_set1(ROUND_MAGIC_BITS));
  const v16i half = i_shift_right(n, 1);
  p = v_mul(v_mul(p, v_power_of_two(half)), v_power_of_two(i_sub(n, half)));
  return v_select(v_less(x, v_set1(-87.33654f)), v_set1(0.0f), p);
}

/* absolute error < 2e-7 */
V16_FUNCTION v16 v_erf(v16 x) {
  const v16 size = v_min(v_set1(4.0f), v_abs(x));
  const v16 z = v_mul(size, size);
  /* erf(x) / x in x^2 up to 0.9 */
  v16 p = v_mul_add(v_set1(-0.000593838107f), z, v_set1(0.00497779949f));
  p = v_mul_add(p, z, v_set1(-0.0267509185f));
  p = v_mul_add(p, z, v_set1(0.112811342f));
  p = v_mul_add(p, z, v_set1(-0.376123756f));
  p = v_mul(v_mul_add(p, z, v_set1(1.12837911f)), size);
  /* -log(1 - erf(x)) / x from 0.9 to 4 */
  v16 q = v_mul_add(v_set1(-0.000214153872f), size, v_set1(0.0032164515f));
  q = v_mul_add(q, size, v_set1(-0.0228951257f));
  q = v_mul_add(q, size, v_set1(0.105270505f));
  q = v_mul_add(q, size, v_set1(0.635711253f));
  q = v_mul(v_mul_add(q, size, v_set1(1.12851655f)), size);
  const v16 far = v_sub(v_set1(1.0f), v_exp(v_neg(q)));
  return v_copysign(v_select(v_less(size, v_set1(0.9f)), p, far), x);
}

/* absolute error < 2e-7 */
V16_FUNCTION v16 v_tanh(v16 x) {
  const v16 size = v_abs(x);
  const v16 z = v_mul(x, x);
  /* (tanh(x) / x - 1) / x^2 up to 0.625 */
  v16 p = v_mul_add(v_set1(-0.00571704796f), z, v_set1(0.0206505898f));
  p = v_mul_add(p, z, v_set1(-0.0537435003f));
  p = v_mul_add(p, z, v_set1(0.133314908f));
  p = v_mul_add(p, z, v_set1(-0.333332837f));
  p = v_mul_add(v_mul(p, z), size, size);
  const v16 e = v_exp(v_add(size, size));
  const v16 far = v_sub(v_set1(1.0f), v_div(v_set1(2.0f), v_add(e, v_set1(1.0f))));
  return v_copysign(v_select(v_less(size, v_set1(0.625f)), p, far), x);
}

/* absolute error < 1e-7 */
V16_FUNCTION v16 v_sigmoid(v16 x) {
  return v_div(v_set1(1.0f), v_add(v_set1(1.0f), v_exp(v_neg(x))));
}

#endif
