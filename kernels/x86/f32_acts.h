/* Activations of a few operations, which happen in registers. */
#ifndef TAREI_KERNELS_X86_F32_ACTS_H
#define TAREI_KERNELS_X86_F32_ACTS_H

#include <math.h>

#include "kernels/x86/f32_lanes.h"

static bool only_bounds(tarei_act act) {
  return act == TAREI_ACT_none || act == TAREI_ACT_relu || act == TAREI_ACT_clip;
}

static bool is_short_act(tarei_act act) {
  return act == TAREI_ACT_hard_swish || act == TAREI_ACT_leaky_relu;
}

/* Activations that only bound values. Taking the larger of -Inf and x changes no x, and where one
 * of two is NaN, the second comes out, as the activations have it. */
typedef struct float_bounds {
  F32_VECTOR low, high;
} float_bounds;

TAREI_INLINE float_bounds float_bounds_of(const tarei_epilogue *e, const bool here) {
  const bool clip = here && e->act == TAREI_ACT_clip, relu = here && e->act == TAREI_ACT_relu;
  return (float_bounds){f32_set1(clip   ? e->act_a
                                 : relu ? 0.0f
                                        : -INFINITY),
                        f32_set1(clip ? e->act_b : INFINITY)};
}

TAREI_INLINE F32_VECTOR float_bounded(float_bounds b, F32_VECTOR f) {
  return f32_min(b.high, f32_max(b.low, f));
}

/* As v_hard_swish has it. */
TAREI_INLINE F32_VECTOR float_hard_swish(F32_VECTOR x) {
  const F32_VECTOR gate = f32_add(f32_mul(f32_set1(1.0f / 6.0f), x), f32_set1(0.5f));
  const F32_VECTOR bounded = f32_min(f32_set1(1.0f), f32_max(f32_set1(0.0f), gate));
  return f32_mul(f32_max(f32_set1(-4.0f), x), bounded);
}

/* Of is_short_act. */
TAREI_INLINE F32_VECTOR float_short_act(const tarei_epilogue *e, F32_VECTOR x) {
  return e->act == TAREI_ACT_hard_swish ? float_hard_swish(x) : f32_leaky(x, f32_set1(e->act_a));
}

#endif
