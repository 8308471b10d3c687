/* Conversion of float16 and bfloat16 to float and back, rounding half to even. */
#ifndef TAREI_BASE_HALF_H
#define TAREI_BASE_HALF_H

#include <stddef.h>
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

float tarei_f16_to_float(uint16_t h);
uint16_t tarei_float_to_f16(float f);
/* The same for n numbers. */
void tarei_f16_to_floats(const uint16_t *h, size_t n, float *out);
void tarei_floats_to_f16(const float *f, size_t n, uint16_t *out);

#endif
