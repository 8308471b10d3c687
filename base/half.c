#include "base/half.h"

float tarei_f16_to_float(const uint16_t h) {
  const uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
  const uint32_t exponent = (h >> 10) & 0x1fu;
  const uint32_t fraction = h & 0x3ffu;
  if (exponent == 0x1f) {
    return tarei_bits_to_float(sign | 0x7f800000u | (fraction << 13));
  }
  if (exponent == 0) { /* zero or denormal: fraction * 2^-24 is exact in float */
    const float magnitude = (float)fraction * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return tarei_bits_to_float(sign | ((exponent + 112) << 23) | (fraction << 13));
}

uint16_t tarei_float_to_f16(const float f) {
  const uint32_t b = tarei_float_to_bits(f);
  const uint16_t sign = (uint16_t)((b >> 16) & 0x8000u);
  const uint32_t magnitude = b & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    return (uint16_t)(sign | 0x7e00u);
  }
  if (magnitude >= 0x477ff000u) { /* rounds to 65536 or more */
    return (uint16_t)(sign | 0x7c00u);
  }
  if (magnitude < 0x38800000u) { /* denormal: let the float adder round at 2^-24 */
    const float rounded = tarei_bits_to_float(magnitude) + 0.5f;
    return (uint16_t)(sign | (tarei_float_to_bits(rounded) - 0x3f000000u));
  }
  const uint32_t odd = (magnitude >> 13) & 1u;
  return (uint16_t)(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
}
