#include "graph/quantize/weights/weight_choice.h"

#include "graph/quantize/weights/weight_scale.h"

float tarei_chosen_scale(const tarei_weight_choice *const choice, const float *const w,
                         const tarei_weight_view *const view, const int64_t channel) {
  return choice->clipping ? choice->clipping->values[channel]
                          : tarei_weight_view_scale(w, view, channel);
}

int8_t tarei_chosen_weight(const tarei_weight_choice *const choice, const float *const w,
                           const tarei_weight_view *const view, const float scale, const int64_t j,
                           const int64_t i) {
  const float weight = w[tarei_weight_view_at(view, j, i)];
  return choice->rounding
             ? tarei_weight_round(weight, scale, tarei_rounding_is_up(choice->rounding, j, i))
             : tarei_weight_quantize(weight, scale);
}
