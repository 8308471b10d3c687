/* The activations of tarei_act on sixteen lanes; a and b are act_a and act_b. */
#ifndef TAREI_KERNELS_GENERIC_ACT16_H
#define TAREI_KERNELS_GENERIC_ACT16_H

#include "kernels/generic/math/math16.h"

TAREI_INLINE v16 v_gelu(v16 x, const float curve[5][16], float pieces) {
  return v_add(v_max(v_set1(0.0f), x), v_curve(curve, pieces, v_abs(x)));
}

TAREI_INLINE v16 v_clamp01(v16 x) { return v_min(v_set1(1.0f), v_max(v_set1(0.0f), x)); }

/* 0 from -3 down: the bound keeps -Inf * 0 away. */
TAREI_INLINE v16 v_hard_swish(v16 x) {
  const v16 gate = v_clamp01(v_mul_add(v_set1(1.0f / 6.0f), x, v_set1(0.5f)));
  return v_mul(v_max(v_set1(-4.0f), x), gate);
}

typedef v16 act16_fn(v16 x, v16 a, v16 b);

#define TAREI_ACTIVATION(id, expression)               \
  TAREI_INLINE v16 act16_##id(v16 x, v16 a, v16 b) {   \
    (void)a;                                           \
    (void)b;                                           \
    return expression;                                 \
  }
#include "kernels/activations.inc"
#undef TAREI_ACTIVATION

#endif
