/* Results of a float product that need no more than a bias, a residual of floats and bounds, and
 * leave the registers at once. Before inclusion:
 *   F32_VECTOR, F32_MASK                 a vector of floats, and which of its lanes count
 *   f32_set1, f32_add, f32_min, f32_max  where one of two is NaN, the second comes out
 *   f32_load(mask, p), f32_store(p, mask, v) */
#ifndef TAREI_KERNELS_X86_F32_FINISH_H
#define TAREI_KERNELS_X86_F32_FINISH_H

#include <math.h>

#include "kernels/registry.h"

static bool only_bounds(const tarei_epilogue *e) {
  return !e->upper && !e->row_mult && !e->residual_u8 &&
         (e->act == TAREI_ACT_none || e->act == TAREI_ACT_relu || e->act == TAREI_ACT_clip);
}

static bool finishes_in_registers(const tarei_epilogue *e) {
  return e->out_f32 && !e->out_u8 && only_bounds(e);
}

/* Activations that only bound values. Adding -0 or taking the larger of -Inf and x changes no x,
 * and where one of two is NaN, the second comes out, as the activations have it. */
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

/* One column of vectors, `columns` apart, from n0 on. */
TAREI_INLINE void finish_column(const tarei_epilogue *e, const F32_VECTOR *v, size_t m0, size_t n0,
                                F32_MASK mask, const size_t rows, const size_t columns) {
  const F32_VECTOR bias = e->bias ? f32_load(mask, e->bias + n0) : f32_set1(-0.0f);
  const float_bounds bounds = float_bounds_of(e, true);
  float *out = e->out_f32 + m0 * e->ld_f32 + n0;
  if (e->act == TAREI_ACT_none) { /* products of few steps are no longer than this */
#pragma GCC unroll 14
    for (size_t i = 0; i < rows; i++) {
      f32_store(out, mask, f32_add(v[i * columns], bias));
      out += e->ld_f32;
    }
    return;
  }
#pragma GCC unroll 14
  for (size_t i = 0; i < rows; i++) {
    f32_store(out, mask, float_bounded(bounds, f32_add(v[i * columns], bias)));
    out += e->ld_f32;
  }
}

TAREI_INLINE void finish_column_with_residual(const tarei_epilogue *e, const F32_VECTOR *v,
                                              size_t m0, size_t n0, F32_MASK mask,
                                              const size_t rows, const size_t columns) {
  const F32_VECTOR bias = e->bias ? f32_load(mask, e->bias + n0) : f32_set1(-0.0f);
  const float_bounds before = float_bounds_of(e, !e->act_last);
  const float_bounds after = float_bounds_of(e, e->act_last);
  const float *residual = e->residual + m0 * e->ld_residual + n0;
  float *out = e->out_f32 + m0 * e->ld_f32 + n0;
#pragma GCC unroll 14
  for (size_t i = 0; i < rows; i++) {
    F32_VECTOR f = float_bounded(before, f32_add(v[i * columns], bias));
    f = f32_add(f, f32_load(mask, residual));
    f32_store(out, mask, float_bounded(after, f));
    out += e->ld_f32;
    residual += e->ld_residual;
  }
}

#endif
