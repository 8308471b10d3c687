/* Conversion of float16 and bfloat16 to float and back, rounding half to even. */
#ifndef TAREI_BASE_HALF_H
#define TAREI_BASE_HALF_H

#include <stdint.h>
#include <string.h>

static inline float tarei_bits_to_float(const uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}
static inline uint32_t tarei_float_to_bits(const float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

static inline float tarei_bf16_to_float(const uint16_t h) {
  return tarei_bits_to_float((uint32_t)h << 16);
}
static inline uint16_t tarei_float_to_bf16(const float f) {
  const uint32_t b = tarei_float_to_bits(f);
  if ((b & 0x7fffffffu) > 0x7f800000u) {
    return (uint16_t)((b >> 16) | 0x40u); /* a NaN stays a NaN */
  }
  return (uint16_t)((b + 0x7fffu + ((b >> 16) & 1u)) >> 16);
}

/* Without branches, so that compilers make vectors of loops over these two. */
static inline float tarei_f16_to_float(const uint16_t h) {
  const uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
  const uint32_t magnitude = (uint32_t)(h & 0x7fffu) << 13;
  const uint32_t normal = magnitude + (magnitude >= 0x1fu << 23 ? 224u << 23 : 112u << 23);
  /* zero or denormal: fraction * 2^-24 is exact in float */
  const float small = (float)(int32_t)(h & 0x3ffu) * 0x1p-24f;
  const uint32_t bits = magnitude < 1u << 23 ? tarei_float_to_bits(small) : normal;
  return tarei_bits_to_float(sign | bits);
}

static inline uint16_t tarei_float_to_f16(const float f) {
  const uint32_t b = tarei_float_to_bits(f);
  const uint32_t sign = (b >> 16) & 0x8000u, magnitude = b & 0x7fffffffu;
  const uint32_t normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  /* denormal: let the float adder round at 2^-24 */
  const float rounded = tarei_bits_to_float(magnitude) + 0.5f;
  const uint32_t small = tarei_float_to_bits(rounded) - 0x3f000000u;
  /* a NaN keeps what fits */
  const uint32_t large = magnitude > 0x7f800000u ? 0x7e00u | (magnitude >> 13 & 0x3ffu) : 0x7c00u;
  const uint32_t finite = magnitude < 0x38800000u ? small : normal;
  return (uint16_t)(sign | (magnitude >= 0x477ff000u ? large : finite)); /* rounds to 65536 */
}

#endif
