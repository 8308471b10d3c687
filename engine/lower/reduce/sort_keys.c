#include "engine/lower/reduce/sort_keys.h"

#include <string.h>

/* Numbers below zero have their order turned round by the bits of their magnitude: by a mask
 * instead of a branch, as signs come in any order. `infinity` is in bits. */
#define KEY_OF_FLOAT(name, type, bits_type, infinity)                           \
  static uint64_t name(const type x) {                                          \
    bits_type bits;                                                             \
    memcpy(&bits, &x, sizeof bits);                                             \
    const bits_type all = ~(bits_type)0, sign = all / 2 + 1;                    \
    const bits_type magnitude = bits & ~sign, below = bits & sign ? all : 0;    \
    return magnitude > (infinity) ? all : sign + ((magnitude ^ below) - below); \
  }
KEY_OF_FLOAT(key_f32, float, uint32_t, UINT32_C(0x7f800000))
KEY_OF_FLOAT(key_f64, double, uint64_t, UINT64_C(0x7ff0000000000000))

static uint64_t key_signed(const int64_t x) {
  return (uint64_t)x ^ UINT64_C(1) << 63;
}

static uint64_t key_unsigned(const uint64_t x) {
  return x;
}

#define KEYS(name, type, KEY)                                                                    \
  static void name(const void *const data, const size_t at, const size_t stride, const size_t n, \
                   uint64_t *const keys) {                                                       \
    const type *const from = (const type *)data + at;                                            \
    for (size_t i = 0; stride == 1 && i < n; i++) {                                              \
      keys[i] = KEY(from[i]);                                                                    \
    }                                                                                            \
    for (size_t i = 0; stride != 1 && i < n; i++) {                                              \
      keys[i] = KEY(from[i * stride]);                                                           \
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
