/* The activations of tarei_act on sixteen lanes; a and b are act_a and act_b. */
#ifndef TAREI_KERNELS_GENERIC_ACT16_H
#define TAREI_KERNELS_GENERIC_ACT16_H

#include "kernels/generic/math16.h"

/* X(name, value, expression in x, a, b) in the order of the enum. The bounds keep -Inf * 0 away: the
 * limit is zero. */
#define ACTIVATIONS(X)                                                                           \
  X(none, TAREI_ACT_NONE, x)                                                                     \
  X(relu, TAREI_ACT_RELU, v_max(v_set1(0.0f), x))                                                \
  X(gelu, TAREI_ACT_GELU, v_gelu(x, gelu_curve, GELU_PIECES))                                    \
  X(gelu_tanh, TAREI_ACT_GELU_TANH, v_gelu(x, gelu_tanh_curve, GELU_TANH_PIECES))                \
  X(sigmoid, TAREI_ACT_SIGMOID, v_sigmoid(x))                                                    \
  X(tanh, TAREI_ACT_TANH, v_tanh(x))                                                             \
  X(silu, TAREI_ACT_SILU, v_mul(v_max(v_set1(-200.0f), x), v_sigmoid(x)))                        \
  X(clip, TAREI_ACT_CLIP, v_min(b, v_max(a, x)))                                                 \
  X(leaky_relu, TAREI_ACT_LEAKY_RELU, v_select(v_less(x, v_set1(0.0f)), v_mul(x, a), x))

TAREI_INLINE v16 v_gelu(v16 x, const float curve[5][16], float pieces) {
  return v_add(v_max(v_set1(0.0f), x), v_curve(curve, pieces, v_abs(x)));
}

#define DEFINE_ACT(name, value, expression)                  \
  TAREI_INLINE v16 act16_##name(v16 x, v16 a, v16 b) {       \
    (void)a;                                                 \
    (void)b;                                                 \
    return expression;                                       \
  }
ACTIVATIONS(DEFINE_ACT)
#undef DEFINE_ACT

#endif
