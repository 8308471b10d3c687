#include "engine/lower/act_table.h"

#include <math.h>

#define STEEPEST 1.13f /* slope of Gelu and Silu; that of the other two is smaller */
#define STEPS 40       /* halvings of a range */

typedef struct curve {
  tarei_act act;
  const tarei_kernels *kernels;
} curve;

static float act_table_value_at(const curve *const c, const float x) {
  float y;
  c->kernels->act(c->act, 0, 0, &x, 1, &y);
  return y;
}

/* From where on the activation is at least y, as it is at `high`. */
static float first_above(const curve *const c, float low, float high, const float y) {
  for (int i = 0; i < STEPS; i++) {
    const float middle = 0.5f * (low + high);
    if (act_table_value_at(c, middle) >= y) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return high;
}

/* Up to where, from below, the activation stays above y; 0 where it never falls that far. */
static float last_above(const curve *const c, const float y) {
  const float lowest = c->act == TAREI_ACT_silu ? -1.2784645f : -0.7517916f;
  if (act_table_value_at(c, lowest) >= y) {
    return 0;
  }
  float far = -64, near = lowest;
  for (int i = 0; i < STEPS; i++) {
    const float middle = 0.5f * (far + near);
    if (act_table_value_at(c, middle) >= y) {
      far = middle;
    } else {
      near = middle;
    }
  }
  return far;
}

bool tarei_act_table_make(const tarei_act act, const float out_scale, const int32_t out_zero_point,
                          const float coarsest, const tarei_kernels *const kernels,
                          tarei_act_table *const out) {
  const curve c = {act, kernels};
  if (act != TAREI_ACT_gelu && act != TAREI_ACT_gelu_tanh && act != TAREI_ACT_silu) {
    return false;
  }
  const float half = 0.5f * out_scale, top = (float)(255 - out_zero_point) * out_scale;
  const float begin = out_zero_point > 0 ? last_above(&c, -half) : 0;
  const float end = first_above(&c, 0, top + 64, top - half);
  const float scale = (end - begin) / 255;
  if (!(scale > 0) || !(scale * STEEPEST <= coarsest) || !isnormal(scale)) {
    return false;
  }
  *out = (tarei_act_table){.scale = scale, .zero_point = (int32_t)rintf(-begin / scale)};
  float values[256];
  for (int i = 0; i < 256; i++) {
    values[i] = (float)(i - out->zero_point) * scale;
  }
  kernels->act(act, 0, 0, values, 256, values);
  kernels->quantize(values, 256, 1.0f / out_scale, out_zero_point, out->bytes);
  return true;
}
