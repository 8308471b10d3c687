/* v16 on Advanced SIMD: four registers of four lanes. */
#include <arm_neon.h>
#include <string.h>

typedef struct {
  float32x4_t q[4];
} v16;
typedef struct {
  int32x4_t q[4];
} v16i;
typedef struct {
  uint32x4_t q[4];
} v16m; /* all bits of a lane alike */

#define EACH(type, f, ...) \
  ((type){{f(0, __VA_ARGS__), f(1, __VA_ARGS__), f(2, __VA_ARGS__), f(3, __VA_ARGS__)}})
#define SAME(i, value) value
#define UNARY(i, op, a) op(a.q[i])
#define BINARY(i, op, a, b) op(a.q[i], b.q[i])
#define TERNARY(i, op, a, b, c) op(a.q[i], b.q[i], c.q[i])
#define WITH(i, op, a, vector) op(a.q[i], vector)

#define FIRST(i, n) vcltq_s32(vld1q_s32(lanes + 4 * i), n)
TAREI_INLINE v16m m_first(size_t n) {
  static const int32_t lanes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return EACH(v16m, FIRST, vdupq_n_s32((int32_t)n));
}
#undef FIRST
TAREI_INLINE v16m m_and(v16m a, v16m b) {
  return EACH(v16m, BINARY, vandq_u32, a, b);
}
TAREI_INLINE unsigned m_count(v16m m) {
  const uint32x4_t low = vaddq_u32(m.q[0], m.q[1]); /* each true lane counts -1 */
  return -vaddvq_u32(vaddq_u32(low, vaddq_u32(m.q[2], m.q[3])));
}

#define LOAD(i, load, p) load(p + 4 * i)
TAREI_INLINE v16 v_set1(float x) {
  return EACH(v16, SAME, vdupq_n_f32(x));
}
TAREI_INLINE v16 v_load(const float *p) {
  return EACH(v16, LOAD, vld1q_f32, p);
}
TAREI_INLINE v16 v_load_part(const float *p, size_t n) {
  float lanes[16] = {0};
  memcpy(lanes, p, n * sizeof *p);
  return v_load(lanes);
}
TAREI_INLINE v16 v_load_halves(const float *low, const float *high) {
  float lanes[16];
  memcpy(lanes, low, 8 * sizeof *low);
  memcpy(lanes + 8, high, 8 * sizeof *high);
  return v_load(lanes);
}
TAREI_INLINE v16 v_even(v16 a, v16 b) {
  return (v16){{vuzp1q_f32(a.q[0], a.q[1]), vuzp1q_f32(a.q[2], a.q[3]),
                vuzp1q_f32(b.q[0], b.q[1]), vuzp1q_f32(b.q[2], b.q[3])}};
}
TAREI_INLINE void v_store(float *p, v16 v) {
  vst1q_f32(p, v.q[0]);
  vst1q_f32(p + 4, v.q[1]);
  vst1q_f32(p + 8, v.q[2]);
  vst1q_f32(p + 12, v.q[3]);
}
TAREI_INLINE void v_store_part(float *p, v16 v, size_t n) {
  float lanes[16];
  v_store(lanes, v);
  memcpy(p, lanes, n * sizeof *p);
}

TAREI_INLINE v16 v_add(v16 a, v16 b) {
  return EACH(v16, BINARY, vaddq_f32, a, b);
}
TAREI_INLINE v16 v_sub(v16 a, v16 b) {
  return EACH(v16, BINARY, vsubq_f32, a, b);
}
TAREI_INLINE v16 v_mul(v16 a, v16 b) {
  return EACH(v16, BINARY, vmulq_f32, a, b);
}
TAREI_INLINE v16 v_div(v16 a, v16 b) {
  return EACH(v16, BINARY, vdivq_f32, a, b);
}
/* fmin and fmax of the instruction set treat NaN in another way */
TAREI_INLINE float32x4_t smaller4(float32x4_t a, float32x4_t b) {
  return vbslq_f32(vcltq_f32(a, b), a, b);
}
TAREI_INLINE float32x4_t larger4(float32x4_t a, float32x4_t b) {
  return vbslq_f32(vcgtq_f32(a, b), a, b);
}
TAREI_INLINE v16 v_min(v16 a, v16 b) {
  return EACH(v16, BINARY, smaller4, a, b);
}
TAREI_INLINE v16 v_max(v16 a, v16 b) {
  return EACH(v16, BINARY, larger4, a, b);
}
TAREI_INLINE v16 v_fma(v16 a, v16 b, v16 c) {
  return EACH(v16, TERNARY, vfmaq_f32, c, a, b);
}
TAREI_INLINE v16 v_sqrt(v16 a) {
  return EACH(v16, UNARY, vsqrtq_f32, a);
}
TAREI_INLINE v16 v_floor(v16 a) {
  return EACH(v16, UNARY, vrndmq_f32, a);
}
TAREI_INLINE v16 v_ceil(v16 a) {
  return EACH(v16, UNARY, vrndpq_f32, a);
}
TAREI_INLINE v16 v_round(v16 a) {
  return EACH(v16, UNARY, vrndnq_f32, a);
}
TAREI_INLINE v16 v_abs(v16 a) {
  return EACH(v16, UNARY, vabsq_f32, a);
}

#define COPYSIGN(i, a, sign) vbslq_f32(top, sign.q[i], a.q[i])
TAREI_INLINE v16 v_copysign(v16 a, v16 sign) {
  const uint32x4_t top = vdupq_n_u32(0x80000000u);
  return EACH(v16, COPYSIGN, a, sign);
}
#undef COPYSIGN

TAREI_INLINE v16m v_less(v16 a, v16 b) {
  return EACH(v16m, BINARY, vcltq_f32, a, b);
}
TAREI_INLINE v16m v_is_number(v16 x) {
  return EACH(v16m, BINARY, vceqq_f32, x, x);
}
TAREI_INLINE v16 v_select(v16m m, v16 a, v16 b) {
  return EACH(v16, TERNARY, vbslq_f32, m, a, b);
}
TAREI_INLINE v16i i_select(v16m m, v16i a, v16i b) {
  return EACH(v16i, TERNARY, vbslq_s32, m, a, b);
}
TAREI_INLINE v16 v_max_or_zero(v16 a, v16 b) {
  return v_select(v_is_number(a), v_max(a, b), v_set1(0.0f));
}

TAREI_INLINE v16i v_bits(v16 a) {
  return EACH(v16i, UNARY, vreinterpretq_s32_f32, a);
}
TAREI_INLINE v16 i_as_float(v16i a) {
  return EACH(v16, UNARY, vreinterpretq_f32_s32, a);
}
TAREI_INLINE v16i i_set1(int32_t x) {
  return EACH(v16i, SAME, vdupq_n_s32(x));
}
TAREI_INLINE v16i i_load(const int32_t *p) {
  return EACH(v16i, LOAD, vld1q_s32, p);
}
TAREI_INLINE v16i i_load_part(const int32_t *p, size_t n) {
  int32_t lanes[16] = {0};
  memcpy(lanes, p, n * sizeof *p);
  return i_load(lanes);
}
#undef LOAD
TAREI_INLINE v16i i_add(v16i a, v16i b) {
  return EACH(v16i, BINARY, vaddq_s32, a, b);
}
TAREI_INLINE v16i i_sub(v16i a, v16i b) {
  return EACH(v16i, BINARY, vsubq_s32, a, b);
}
TAREI_INLINE v16i i_max(v16i a, v16i b) {
  return EACH(v16i, BINARY, vmaxq_s32, a, b);
}
TAREI_INLINE v16i i_mul(v16i a, v16i b) {
  return EACH(v16i, BINARY, vmulq_s32, a, b);
}
TAREI_INLINE v16i i_shift_left(v16i a, int by) {
  return EACH(v16i, WITH, vshlq_s32, a, vdupq_n_s32(by));
}
TAREI_INLINE v16i i_shift_right(v16i a, int by) {
  return EACH(v16i, WITH, vshlq_s32, a, vdupq_n_s32(-by));
}
TAREI_INLINE int32_t i_sum(v16i a) {
  return vaddvq_s32(vaddq_s32(vaddq_s32(a.q[0], a.q[1]), vaddq_s32(a.q[2], a.q[3])));
}
TAREI_INLINE v16 i_to_float(v16i a) {
  return EACH(v16, UNARY, vcvtq_f32_s32, a);
}
/* toward zero; lanes within the range of int32 */
TAREI_INLINE v16i v_truncate(v16 a) {
  return EACH(v16i, UNARY, vcvtq_s32_f32, a);
}

/* half to even; likewise */
TAREI_INLINE v16i v_nearest(v16 a) {
  return EACH(v16i, UNARY, vcvtnq_s32_f32, a);
}

/* lane i of the result is lane (index[i] mod 16) of the table */
TAREI_INLINE float32x4_t lookup4(uint8x16x4_t table, int32x4_t index) {
  const uint32x4_t lane = vandq_u32(vreinterpretq_u32_s32(index), vdupq_n_u32(15));
  const uint32x4_t bytes = vmlaq_n_u32(vdupq_n_u32(0x03020100u), lane, 0x04040404u);
  return vreinterpretq_f32_u8(vqtbl4q_u8(table, vreinterpretq_u8_u32(bytes)));
}
#define LOOKUP(i, table, index) lookup4(table, index.q[i])
TAREI_INLINE v16 v_lookup(v16 table, v16i index) {
  const uint8x16x4_t bytes = EACH(uint8x16x4_t, UNARY, vreinterpretq_u8_f32, table);
  return EACH(v16, LOOKUP, bytes, index);
}
#undef LOOKUP

TAREI_INLINE v16i i_from_s16(int16x8_t low, int16x8_t high) {
  return (v16i){{vmovl_s16(vget_low_s16(low)), vmovl_high_s16(low), vmovl_s16(vget_low_s16(high)),
                 vmovl_high_s16(high)}};
}
TAREI_INLINE v16i i_load_u16(const uint16_t *p) {
  const uint16x8_t low = vld1q_u16(p), high = vld1q_u16(p + 8);
  return (v16i){{vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(low))),
                 vreinterpretq_s32_u32(vmovl_high_u16(low)),
                 vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(high))),
                 vreinterpretq_s32_u32(vmovl_high_u16(high))}};
}
TAREI_INLINE v16i i_load_u8(const uint8_t *p) {
  const uint8x16_t v = vld1q_u8(p);
  return i_from_s16(vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(v))),
                    vreinterpretq_s16_u16(vmovl_high_u8(v)));
}
TAREI_INLINE v16i i_load_s8(const int8_t *p) {
  const int8x16_t v = vld1q_s8(p);
  return i_from_s16(vmovl_s8(vget_low_s8(v)), vmovl_high_s8(v));
}
TAREI_INLINE v16i i_load_u8_part(const uint8_t *p, size_t n) {
  uint8_t bytes[16] = {0};
  memcpy(bytes, p, n);
  return i_load_u8(bytes);
}
TAREI_INLINE v16i i_load_s8_part(const int8_t *p, size_t n) {
  int8_t bytes[16] = {0};
  memcpy(bytes, p, n);
  return i_load_s8(bytes);
}

TAREI_INLINE uint16x8_t narrow8(int32x4_t low, int32x4_t high) {
  return vmovn_high_u32(vmovn_u32(vreinterpretq_u32_s32(low)), vreinterpretq_u32_s32(high));
}
/* lanes within 0..65535 */
TAREI_INLINE void i_store_u16(uint16_t *p, v16i v) {
  vst1q_u16(p, narrow8(v.q[0], v.q[1]));
  vst1q_u16(p + 8, narrow8(v.q[2], v.q[3]));
}
/* lanes within 0..255 */
TAREI_INLINE void i_store_u8(uint8_t *p, v16i v) {
  const uint8x8_t low = vmovn_u16(narrow8(v.q[0], v.q[1]));
  vst1q_u8(p, vmovn_high_u16(low, narrow8(v.q[2], v.q[3])));
}
TAREI_INLINE void i_store_u8_part(uint8_t *p, v16i v, size_t n) {
  uint8_t bytes[16];
  i_store_u8(bytes, v);
  memcpy(p, bytes, n);
}

#define REDUCE(op)                                                         \
  const float32x4_t h4 = op(op(v.q[0], v.q[2]), op(v.q[1], v.q[3]));       \
  const float32x4_t h2 = op(h4, vextq_f32(h4, h4, 2));                     \
  return vgetq_lane_f32(op(h2, vextq_f32(h2, h2, 1)), 0)
TAREI_INLINE float v_sum(v16 v) {
  REDUCE(vaddq_f32);
}
TAREI_INLINE float v_reduce_min(v16 v) {
  REDUCE(smaller4);
}
TAREI_INLINE float v_reduce_max(v16 v) {
  REDUCE(larger4);
}
#undef REDUCE
#undef EACH
#undef SAME
#undef UNARY
#undef BINARY
#undef TERNARY
#undef WITH

/* TAREI_BYTES unsigned bytes */
#define TAREI_BYTES 16
typedef uint8x16_t vbytes;
TAREI_INLINE vbytes vb_load(const uint8_t *p) {
  return vld1q_u8(p);
}
TAREI_INLINE void vb_store(uint8_t *p, vbytes v) {
  vst1q_u8(p, v);
}
TAREI_INLINE vbytes vb_max(vbytes a, vbytes b) {
  return vmaxq_u8(a, b);
}
