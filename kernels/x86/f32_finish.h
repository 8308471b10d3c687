/* Results of a float product that need no more than a bias, a residual of floats and bounds, or a
 * bias and a short activation, and leave the registers at once. Before inclusion:
 *   F32_MASK                                  says which lanes of a vector count
 *   f32_load(mask, p), f32_store(p, mask, v) */
#ifndef TAREI_KERNELS_X86_F32_FINISH_H
#define TAREI_KERNELS_X86_F32_FINISH_H

#include "kernels/x86/f32_acts.h"

static bool is_of_floats(const tarei_epilogue *e) {
  return e->out_f32 && !e->out_u8 && !e->upper && !e->row_mult && !e->residual_u8;
}

static bool finishes_in_registers(const tarei_epilogue *e) {
  return is_of_floats(e) && only_bounds(e->act);
}

static bool finishes_by_short_act(const tarei_epilogue *e) {
  return is_of_floats(e) && !e->residual && is_short_act(e->act);
}

/* One column of vectors, `columns` apart, from n0 on. Adding -0 changes no float. */
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

TAREI_INLINE void finish_column_by_short_act(const tarei_epilogue *e, const F32_VECTOR *v,
                                             size_t m0, size_t n0, F32_MASK mask, const size_t rows,
                                             const size_t columns) {
  const F32_VECTOR bias = e->bias ? f32_load(mask, e->bias + n0) : f32_set1(-0.0f);
  float *out = e->out_f32 + m0 * e->ld_f32 + n0;
#pragma GCC unroll 14
  for (size_t i = 0; i < rows; i++) {
    f32_store(out, mask, float_short_act(e, f32_add(v[i * columns], bias)));
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
