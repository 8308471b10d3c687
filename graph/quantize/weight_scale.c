#include "graph/quantize/weight_scale.h"

#include <float.h>
#include <math.h>

float tarei_weight_scale_of(const float amax) {
  const float scale = amax / 127.0f;
  return scale >= FLT_MIN ? scale : 1.0f;
}

int8_t tarei_weight_quantize(const float w, const float scale) {
  const float q = rintf(w / scale);
  return (int8_t)(q > 127.0f ? 127.0f : q < -127.0f ? -127.0f : q);
}
