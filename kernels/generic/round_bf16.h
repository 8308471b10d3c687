/* Floats rounded to bfloat16, half to even. */
#ifndef TAREI_KERNELS_GENERIC_ROUND_BF16_H
#define TAREI_KERNELS_GENERIC_ROUND_BF16_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/generic/v16.h"

/* bfloat16 as lanes of 0..65535, subnormal ones as zero. Magnitudes first: they round as integers
 * do. Not finite ones keep their upper half, and the addition has made NaNs quiet. */
TAREI_INLINE v16i v_to_bf16(v16 x) {
  const v16 size = v_abs(v_add(x, v_set1(-0.0f)));
  const v16i bits = v_bits(v_select(v_less(size, v_set1(FLT_MIN)), v_set1(0.0f), size));
  const v16i half = i_shift_right(bits, 16);
  const v16i odd = i_sub(half, i_shift_left(i_shift_right(bits, 17), 1));
  const v16i rounded = i_shift_right(i_add(i_add(bits, odd), i_set1(0x7fff)), 16);
  const v16i result = i_select(v_less(size, v_set1(INFINITY)), rounded, half);
  const v16i sign = i_shift_right(v_bits(x), 31); /* 0 or -1 */
  return i_sub(result, i_shift_left(sign, 15));
}

/* The same for lanes that are not negative, or NaN, of which all give the same; subnormal ones
 * stay. */
TAREI_INLINE v16i v_positive_to_bf16(v16 x) {
  const v16i bits = v_bits(x);
  const v16i half = i_shift_right(bits, 16);
  const v16i odd = i_sub(half, i_shift_left(i_shift_right(bits, 17), 1));
  const v16i rounded = i_shift_right(i_add(i_add(bits, odd), i_set1(0x7fff)), 16);
  return i_select(v_less(x, v_set1(INFINITY)), rounded, i_set1(0x7fc0));
}

TAREI_INLINE v16 v_of_bf16(v16i x) {
  return i_as_float(i_shift_left(x, 16));
}

/* A zero follows an odd number of lanes. */
TAREI_INLINE void i_store_bf16_part(uint16_t *p, v16i x, size_t n) {
  uint16_t lanes[TAREI_LANES];
  i_store_u16(lanes, x);
  memcpy(p, lanes, n * sizeof *p);
  if (n % 2) {
    p[n] = 0;
  }
}

#endif
