/* Sixteen float lanes. The generic kernels are written once over these operations and compiled for
 * each ISA; every operation gives the same bits everywhere (NaN payloads aside).
 *
 *   v_min(a, b) is a < b ? a : b, v_max(a, b) is a > b ? a : b: with a NaN in either, b comes out,
 *   so put a constant bound first to let NaN through, last to drop it.
 *   v_max_or_zero(a, b) is zero where a is NaN. */
#ifndef TAREI_KERNELS_GENERIC_V16_H
#define TAREI_KERNELS_GENERIC_V16_H

#include "kernels/registry.h"

#if defined(TAREI_V16_SCALAR)
#include "kernels/generic/v16_scalar.h"
#elif defined(TAREI_V16_NEON)
#include "kernels/generic/v16_neon.h"
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && \
    defined(__AVX512DQ__)
#include "kernels/generic/v16_avx512.h"
#elif defined(__AVX2__) && defined(__FMA__)
#include "kernels/generic/v16_avx2.h"
#else
#error "no lanes: define TAREI_V16_SCALAR for portable ones"
#endif

#define TAREI_LANES 16

/* Vectors that registers hold. */
#ifndef V16_REGISTERS
#define V16_REGISTERS 8
#endif

/* Adding it rounds |x| < 2^22 half to even and leaves the integer in the low bits. */
#define ROUND_MAGIC 12582912.0f
#define ROUND_MAGIC_BITS 0x4b400000

/* Lanes from n on are read as zero and not written; memory beyond n is not touched. */
TAREI_INLINE v16 v_load_n(const float *p, size_t n) {
  return n == TAREI_LANES ? v_load(p) : v_load_part(p, n);
}

TAREI_INLINE void v_store_n(float *p, v16 v, size_t n) {
  if (n == TAREI_LANES) {
    v_store(p, v);
  } else {
    v_store_part(p, v, n);
  }
}

TAREI_INLINE v16i i_load_u8_n(const uint8_t *p, size_t n) {
  return n == TAREI_LANES ? i_load_u8(p) : i_load_u8_part(p, n);
}

TAREI_INLINE v16i i_load_s8_n(const int8_t *p, size_t n) {
  return n == TAREI_LANES ? i_load_s8(p) : i_load_s8_part(p, n);
}

TAREI_INLINE void i_store_u8_n(uint8_t *p, v16i v, size_t n) {
  if (n == TAREI_LANES) {
    i_store_u8(p, v);
  } else {
    i_store_u8_part(p, v, n);
  }
}

TAREI_INLINE size_t lanes_left(size_t i, size_t n) {
  return n - i < TAREI_LANES ? n - i : TAREI_LANES;
}

#ifndef V16_HAS_FOURS
/* Four times sixteen lanes within 0..255. */
TAREI_INLINE void i_store_u8_four(uint8_t *p, const v16i *v) {
  for (size_t i = 0; i < 4; i++) {
    i_store_u8(p + i * TAREI_LANES, v[i]);
  }
}

/* The first n of four times sixteen lanes within -128..127, plus 128. */
TAREI_INLINE void i_store_biased(uint8_t *p, const v16i *v, size_t n) {
  for (size_t i = 0; i < n; i += TAREI_LANES) {
    i_store_u8_n(p + i, i_add(v[i / TAREI_LANES], i_set1(128)), lanes_left(i, n));
  }
}

/* The first n of four times sixteen lanes within -255..255; those below zero give 0. */
TAREI_INLINE void i_store_unsigned(uint8_t *p, const v16i *v, size_t n) {
  for (size_t i = 0; i < n; i += TAREI_LANES) {
    i_store_u8_n(p + i, i_max(v[i / TAREI_LANES], i_set1(0)), lanes_left(i, n));
  }
}

/* The largest lane of each of sixteen vectors, which have none below zero. */
TAREI_INLINE v16i i_max_of_each(const v16i *v) {
  float largest[TAREI_LANES];
  for (size_t i = 0; i < TAREI_LANES; i++) {
    largest[i] = v_reduce_max(i_as_float(v[i]));
  }
  return v_bits(v_load(largest));
}
#else
/* The first n of four times sixteen lanes within -255..255; those below zero give 0. The stores of
 * these instruction sets saturate. */
TAREI_INLINE void i_store_unsigned(uint8_t *p, const v16i *v, size_t n) {
  v16i centred[4];
  if (n == 4 * TAREI_LANES) {
    i_store_u8_four(p, v);
    return;
  }
#pragma GCC unroll 4
  for (size_t q = 0; q < 4; q++) {
    centred[q] = i_sub(v[q], i_set1(128));
  }
  i_store_biased(p, centred, n);
}
#endif

#ifndef V16_HAS_SHORT_MAX
/* The largest of the lanes, of which those from n on are not larger than the others. */
TAREI_INLINE float v_reduce_max_of(v16 v, size_t n) {
  (void)n;
  return v_reduce_max(v);
}
#endif

#ifndef V16_WIDENS_F16
/* Exponents of float16 are 112 below those of float32. A subnormal number has the lowest exponent
 * and no leading one, which is taken away again: no float here is subnormal, that would be slow. */
TAREI_INLINE v16 v_load_f16(const uint16_t *p) {
  const v16 least = v_set1(0x1p-14f);
  const v16i half = i_load_u16(p);
  const v16i magnitude = i_shift_left(i_sub(half, i_shift_left(i_shift_right(half, 15), 15)), 13);
  const v16 normal = i_as_float(i_add(magnitude, i_set1(112 << 23)));
  const v16 subnormal = v_sub(i_as_float(i_add(magnitude, i_set1(113 << 23))), least);
  return v_copysign(v_select(v_less(normal, least), subnormal, normal),
                    i_as_float(i_shift_left(half, 16)));
}
#endif

#ifndef V16_HAS_COLUMNS
/* Columns of at most sixteen rows, which become lanes: n <= 8 of them, and zeros for other rows. */
TAREI_INLINE void v_load_columns(const float *p, size_t ld, size_t rows, size_t n, v16 *out) {
  float lanes[8][TAREI_LANES] = {0};
  for (size_t i = 0; i < rows; i++) {
    for (size_t c = 0; c < n; c++) {
      lanes[c][i] = p[i * ld + c];
    }
  }
  for (size_t c = 0; c < n; c++) {
    out[c] = v_load(lanes[c]);
  }
}

TAREI_INLINE void v_store_columns(float *p, size_t ld, size_t rows, size_t n, const v16 *v) {
  for (size_t c = 0; c < n; c++) {
    float lanes[TAREI_LANES];
    v_store(lanes, v[c]);
    for (size_t i = 0; i < rows; i++) {
      p[i * ld + c] = lanes[i];
    }
  }
}
#endif

TAREI_INLINE v16 v_neg(v16 x) {
  return v_sub(v_set1(-0.0f), x);
}

/* x * y + z with two roundings */
TAREI_INLINE v16 v_mul_add(v16 x, v16 y, v16 z) {
  return v_add(v_mul(x, y), z);
}

#endif
