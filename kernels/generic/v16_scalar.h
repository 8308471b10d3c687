/* v16 in portable C: the oracle of the vector forms. */
#include <math.h>
#include <string.h>

typedef struct { float lane[16]; } v16;
typedef struct { int32_t lane[16]; } v16i;
typedef struct { bool lane[16]; } v16m;

#define EACH_LANE(type, expression)  \
  type r;                            \
  for (int i = 0; i < 16; i++) {     \
    r.lane[i] = (expression);        \
  }                                  \
  return r

TAREI_INLINE v16 v_set1(float x) { EACH_LANE(v16, x); }
TAREI_INLINE v16 v_load(const float *p) { EACH_LANE(v16, p[i]); }
TAREI_INLINE v16 v_load_part(const float *p, size_t n) {
  EACH_LANE(v16, (size_t)i < n ? p[i] : 0.0f);
}
TAREI_INLINE v16 v_load_halves(const float *low, const float *high) {
  EACH_LANE(v16, i < 8 ? low[i] : high[i - 8]);
}
TAREI_INLINE v16 v_even(v16 a, v16 b) {
  EACH_LANE(v16, i < 8 ? a.lane[2 * i] : b.lane[2 * (i - 8)]);
}
TAREI_INLINE void v_store(float *p, v16 v) { memcpy(p, v.lane, sizeof v.lane); }
TAREI_INLINE void v_store_part(float *p, v16 v, size_t n) {
  memcpy(p, v.lane, n * sizeof *p);
}

TAREI_INLINE v16 v_add(v16 a, v16 b) { EACH_LANE(v16, a.lane[i] + b.lane[i]); }
TAREI_INLINE v16 v_sub(v16 a, v16 b) { EACH_LANE(v16, a.lane[i] - b.lane[i]); }
TAREI_INLINE v16 v_mul(v16 a, v16 b) { EACH_LANE(v16, a.lane[i] * b.lane[i]); }
TAREI_INLINE v16 v_div(v16 a, v16 b) { EACH_LANE(v16, a.lane[i] / b.lane[i]); }
TAREI_INLINE v16 v_min(v16 a, v16 b) {
  EACH_LANE(v16, a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]);
}
TAREI_INLINE v16 v_max(v16 a, v16 b) {
  EACH_LANE(v16, a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]);
}
TAREI_INLINE v16 v_max_or_zero(v16 a, v16 b) {
  EACH_LANE(v16, a.lane[i] != a.lane[i] ? 0.0f : a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]);
}
TAREI_INLINE v16 v_fma(v16 a, v16 b, v16 c) {
  EACH_LANE(v16, fmaf(a.lane[i], b.lane[i], c.lane[i]));
}
TAREI_INLINE v16 v_sqrt(v16 a) { EACH_LANE(v16, sqrtf(a.lane[i])); }
TAREI_INLINE v16 v_floor(v16 a) { EACH_LANE(v16, floorf(a.lane[i])); }
TAREI_INLINE v16 v_ceil(v16 a) { EACH_LANE(v16, ceilf(a.lane[i])); }
TAREI_INLINE v16 v_round(v16 a) { EACH_LANE(v16, rintf(a.lane[i])); }
TAREI_INLINE v16 v_abs(v16 a) { EACH_LANE(v16, fabsf(a.lane[i])); }
TAREI_INLINE v16 v_copysign(v16 a, v16 sign) {
  EACH_LANE(v16, copysignf(a.lane[i], sign.lane[i]));
}

TAREI_INLINE v16m v_less(v16 a, v16 b) { EACH_LANE(v16m, a.lane[i] < b.lane[i]); }
TAREI_INLINE v16m v_is_number(v16 x) { EACH_LANE(v16m, x.lane[i] == x.lane[i]); }
TAREI_INLINE v16 v_select(v16m m, v16 a, v16 b) {
  EACH_LANE(v16, m.lane[i] ? a.lane[i] : b.lane[i]);
}
TAREI_INLINE v16i i_select(v16m m, v16i a, v16i b) {
  EACH_LANE(v16i, m.lane[i] ? a.lane[i] : b.lane[i]);
}
TAREI_INLINE v16m m_first(size_t n) { EACH_LANE(v16m, (size_t)i < n); }
TAREI_INLINE v16m m_and(v16m a, v16m b) { EACH_LANE(v16m, a.lane[i] && b.lane[i]); }
TAREI_INLINE unsigned m_count(v16m m) {
  unsigned n = 0;
  for (int i = 0; i < 16; i++) {
    n += m.lane[i];
  }
  return n;
}

TAREI_INLINE v16i v_bits(v16 a) {
  v16i r;
  memcpy(&r, &a, sizeof r);
  return r;
}
TAREI_INLINE v16 i_as_float(v16i a) {
  v16 r;
  memcpy(&r, &a, sizeof r);
  return r;
}
/* lane i of the result is lane (index[i] mod 16) of the table */
TAREI_INLINE v16 v_lookup(v16 table, v16i index) {
  EACH_LANE(v16, table.lane[index.lane[i] & 15]);
}
TAREI_INLINE v16i i_set1(int32_t x) { EACH_LANE(v16i, x); }
TAREI_INLINE v16i i_load(const int32_t *p) { EACH_LANE(v16i, p[i]); }
TAREI_INLINE v16i i_load_part(const int32_t *p, size_t n) {
  EACH_LANE(v16i, (size_t)i < n ? p[i] : 0);
}
TAREI_INLINE v16i i_add(v16i a, v16i b) {
  EACH_LANE(v16i, (int32_t)((uint32_t)a.lane[i] + (uint32_t)b.lane[i]));
}
TAREI_INLINE v16i i_sub(v16i a, v16i b) {
  EACH_LANE(v16i, (int32_t)((uint32_t)a.lane[i] - (uint32_t)b.lane[i]));
}
TAREI_INLINE v16i i_max(v16i a, v16i b) {
  EACH_LANE(v16i, a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]);
}
TAREI_INLINE v16i i_mul(v16i a, v16i b) {
  EACH_LANE(v16i, (int32_t)((uint32_t)a.lane[i] * (uint32_t)b.lane[i]));
}
TAREI_INLINE v16i i_shift_left(v16i a, int by) {
  EACH_LANE(v16i, (int32_t)((uint32_t)a.lane[i] << by));
}
TAREI_INLINE v16i i_shift_right(v16i a, int by) { EACH_LANE(v16i, a.lane[i] >> by); }
TAREI_INLINE int32_t i_sum(v16i a) {
  int32_t sum = 0;
  for (int i = 0; i < 16; i++) {
    sum += a.lane[i];
  }
  return sum;
}
TAREI_INLINE v16i v_truncate(v16 a) { EACH_LANE(v16i, (int32_t)a.lane[i]); }
TAREI_INLINE v16 i_to_float(v16i a) { EACH_LANE(v16, (float)a.lane[i]); }
/* half to even; lanes within the range of int32 */
TAREI_INLINE v16i v_nearest(v16 a) { EACH_LANE(v16i, (int32_t)rintf(a.lane[i])); }
TAREI_INLINE v16i i_load_u16(const uint16_t *p) { EACH_LANE(v16i, p[i]); }
TAREI_INLINE v16i i_load_u8(const uint8_t *p) { EACH_LANE(v16i, p[i]); }
TAREI_INLINE v16i i_load_u8_part(const uint8_t *p, size_t n) {
  EACH_LANE(v16i, (size_t)i < n ? p[i] : 0);
}
TAREI_INLINE v16i i_load_s8(const int8_t *p) { EACH_LANE(v16i, p[i]); }
TAREI_INLINE v16i i_load_s8_part(const int8_t *p, size_t n) {
  EACH_LANE(v16i, (size_t)i < n ? p[i] : 0);
}
/* lanes within 0..255 */
TAREI_INLINE void i_store_u8_part(uint8_t *p, v16i v, size_t n) {
  for (size_t i = 0; i < n; i++) {
    p[i] = (uint8_t)v.lane[i];
  }
}
TAREI_INLINE void i_store_u8(uint8_t *p, v16i v) { i_store_u8_part(p, v, 16); }
/* lanes within 0..65535 */
TAREI_INLINE void i_store_u16(uint16_t *p, v16i v) {
  for (int i = 0; i < 16; i++) {
    p[i] = (uint16_t)v.lane[i];
  }
}
#undef EACH_LANE

#define HALVE(from, expression)           \
  for (int i = 0; i < (from) / 2; i++) {  \
    const float a = v.lane[i];            \
    const float b = v.lane[i + (from) / 2]; \
    v.lane[i] = (expression);             \
  }
#define REDUCE(expression) \
  HALVE(16, expression)    \
  HALVE(8, expression)     \
  HALVE(4, expression)     \
  HALVE(2, expression)     \
  return v.lane[0]
TAREI_INLINE float v_sum(v16 v) { REDUCE(a + b); }
TAREI_INLINE float v_reduce_min(v16 v) { REDUCE(a < b ? a : b); }
TAREI_INLINE float v_reduce_max(v16 v) { REDUCE(a > b ? a : b); }
#undef HALVE
#undef REDUCE

/* TAREI_BYTES unsigned bytes */
#define TAREI_BYTES 1
typedef uint8_t vbytes;
TAREI_INLINE vbytes vb_load(const uint8_t *p) { return *p; }
TAREI_INLINE void vb_store(uint8_t *p, vbytes v) { *p = v; }
TAREI_INLINE vbytes vb_max(vbytes a, vbytes b) { return a > b ? a : b; }
