/* The activations of tarei_act on sixteen lanes; a and b are act_a and act_b. */
#ifndef TAREI_KERNELS_GENERIC_ACT16_H
#define TAREI_KERNELS_GENERIC_ACT16_H

#include "kernels/generic/math16.h"

/* X(name, value, expression in x, a, b) in the order of the enum. The bound below GELU and SiLU
 * keeps -Inf * 0 away: their limit is zero. */
#define ACTIVATIONS(X)                                                                           \
  X(none, TAREI_ACT_NONE, x)                                                                     \
  X(relu, TAREI_ACT_RELU, v_max(v_set1(0.0f), x))                                                \
  X(gelu, TAREI_ACT_GELU, v_gelu(x, v_erf(v_mul(x, v_set1(0.707106781f)))))                      \
  X(gelu_tanh, TAREI_ACT_GELU_TANH, v_gelu(x, v_tanh(v_gelu_argument(x))))                       \
  X(sigmoid, TAREI_ACT_SIGMOID, v_sigmoid(x))                                                    \
  X(tanh, TAREI_ACT_TANH, v_tanh(x))                                                             \
  X(silu, TAREI_ACT_SILU, v_mul(v_max(v_set1(-200.0f), x), v_sigmoid(x)))                        \
  X(clip, TAREI_ACT_CLIP, v_min(b, v_max(a, x)))                                                 \
  X(leaky_relu, TAREI_ACT_LEAKY_RELU, v_select(v_less(x, v_set1(0.0f)), v_mul(x, a), x))

TAREI_INLINE v16 v_gelu(v16 x, v16 curve) {
  const v16 half = v_mul(v_max(v_set1(-1e30f), x), v_set1(0.5f));
  return v_mul(half, v_add(v_set1(1.0f), curve));
}

TAREI_INLINE v16 v_gelu_argument(v16 x) {
  const v16 cube = v_mul(v_mul(v_mul(x, x), x), v_set1(0.044715f));
  return v_mul(v_add(x, cube), v_set1(0.797884561f));
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
