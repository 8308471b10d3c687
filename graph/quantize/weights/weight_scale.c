#include "graph/quantize/weights/weight_scale.h"

#include <float.h>
#include <math.h>

float tarei_weight_scale_of(const float amax) {
  const float scale = amax / 127.0f;
  return scale >= FLT_MIN ? scale : 1.0f;
}

static int8_t within_127(const float q) {
  return (int8_t)(q > 127.0f ? 127.0f : q < -127.0f ? -127.0f : q);
}

int8_t tarei_weight_quantize(const float w, const float scale) {
  return within_127(rintf(w / scale));
}

int8_t tarei_weight_round(const float w, const float scale, const bool up) {
  return within_127(floorf(w / scale) + (up ? 1.0f : 0.0f));
}
