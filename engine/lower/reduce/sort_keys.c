#include "engine/lower/reduce/sort_keys.h"

#include <math.h>
#include <string.h>

/* Numbers below zero have their order turned round by the bits of their magnitude. */
static uint64_t key_of_bits(const uint64_t bits, const uint64_t sign) {
  return bits & sign ? sign - (bits & ~sign) : bits | sign;
}

static uint64_t key_f32(const float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return isnan(x) ? UINT64_MAX : key_of_bits(bits, UINT64_C(1) << 31);
}

static uint64_t key_f64(const double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return isnan(x) ? UINT64_MAX : key_of_bits(bits, UINT64_C(1) << 63);
}

static uint64_t key_signed(const int64_t x) {
  return (uint64_t)x ^ UINT64_C(1) << 63;
}

static uint64_t key_unsigned(const uint64_t x) {
  return x;
}

#define KEYS(name, type, KEY)                                                                    \
  static void name(const void *const data, const size_t at, const size_t stride, const size_t n, \
                   uint64_t *const keys) {                                                       \
    for (size_t i = 0; i < n; i++) {                                                             \
      keys[i] = KEY(((const type *)data)[at + i * stride]);                                      \
    }                                                                                            \
  }
KEYS(keys_f32, float, key_f32)
KEYS(keys_f64, double, key_f64)
KEYS(keys_i8, int8_t, key_signed)
KEYS(keys_i16, int16_t, key_signed)
KEYS(keys_i32, int32_t, key_signed)
KEYS(keys_i64, int64_t, key_signed)
KEYS(keys_u8, uint8_t, key_unsigned)
KEYS(keys_u16, uint16_t, key_unsigned)
KEYS(keys_u32, uint32_t, key_unsigned)
KEYS(keys_u64, uint64_t, key_unsigned)

tarei_sort_keys_fn *tarei_sort_keys_of(const tare_dtype dtype) {
  static tarei_sort_keys_fn *const table[TARE_BF16 + 1] = {
      [TARE_F32] = keys_f32, [TARE_F64] = keys_f64, [TARE_I8] = keys_i8,   [TARE_I16] = keys_i16,
      [TARE_I32] = keys_i32, [TARE_I64] = keys_i64, [TARE_U8] = keys_u8,   [TARE_U16] = keys_u16,
      [TARE_U32] = keys_u32, [TARE_U64] = keys_u64, [TARE_BOOL] = keys_u8,
  };
  return table[dtype];
}
