/* The one definition of rounding to u8: half to even, saturating, NaN becomes the zero point.
 * The vector form in generic/quantize16.h is held equal to this by a test. */
#ifndef TAREI_KERNELS_REQUANT_H
#define TAREI_KERNELS_REQUANT_H

#include <math.h>
#include <stdint.h>

static inline uint8_t tarei_requant_u8(float f, float inv_scale, int32_t zero_point) {
  const float scaled = f * inv_scale;
  const float low = (float)-zero_point;
  const float high = (float)(255 - zero_point);
  if (scaled != scaled) {
    return (uint8_t)zero_point;
  }
  /* clamped as float: a huge value must saturate, not wrap in the conversion */
  const float clamped = scaled < low ? low : scaled > high ? high : scaled;
  return (uint8_t)((int32_t)rintf(clamped) + zero_point);
}

#endif
