/* v16 on AVX2, FMA and F16C: two halves of eight lanes. */
#include <immintrin.h>
#include <string.h>

typedef struct {
  __m256 low, high;
} v16;
typedef struct {
  __m256i low, high;
} v16i;
typedef struct {
  __m256 low, high;
} v16m; /* all bits of a lane alike */

#define BOTH(type, f, ...) ((type){f(low, __VA_ARGS__), f(high, __VA_ARGS__)})
#define UNARY(half, op, a) op(a.half)
#define BINARY(half, op, a, b) op(a.half, b.half)
#define TERNARY(half, op, a, b, c) op(a.half, b.half, c.half)
#define WITH(half, op, a, constant) op(a.half, constant)

/* n lanes of eight beginning at the pointer; what is left of n */
TAREI_INLINE __m256i mask8(size_t n, size_t first) {
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n - (int)first), lanes);
}
TAREI_INLINE v16m m_first(size_t n) {
  return (v16m){_mm256_castsi256_ps(mask8(n, 0)), _mm256_castsi256_ps(mask8(n, 8))};
}
TAREI_LANE v16m m_and(v16m a, v16m b) {
  return BOTH(v16m, BINARY, _mm256_and_ps, a, b);
}
TAREI_INLINE unsigned m_count(v16m m) {
  return (unsigned)(__builtin_popcount((unsigned)_mm256_movemask_ps(m.low)) +
                    __builtin_popcount((unsigned)_mm256_movemask_ps(m.high)));
}
#define V16_HAS_RUN
TAREI_INLINE unsigned m_run(v16m m) {
  const unsigned high = (unsigned)_mm256_movemask_ps(m.high) << 8;
  return (unsigned)__builtin_ctz(~((unsigned)_mm256_movemask_ps(m.low) | high));
}

TAREI_LANE v16 v_set1(float x) {
  return (v16){_mm256_set1_ps(x), _mm256_set1_ps(x)};
}
TAREI_INLINE v16 v_load(const float *p) {
  return (v16){_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)};
}
TAREI_INLINE v16 v_load_part(const float *p, size_t n) {
  const __m256 low = _mm256_maskload_ps(p, mask8(n, 0));
  return (v16){low, n > 8 ? _mm256_maskload_ps(p + 8, mask8(n, 8)) : _mm256_setzero_ps()};
}
TAREI_INLINE v16 v_load_halves(const float *low, const float *high) {
  return (v16){_mm256_loadu_ps(low), _mm256_loadu_ps(high)};
}
/* Lanes 0, 2, 4 ... of a, and behind them those of b. */
TAREI_INLINE v16 v_even(v16 a, v16 b) {
  const __m256d low = _mm256_castps_pd(_mm256_shuffle_ps(a.low, a.high, 0x88));
  const __m256d high = _mm256_castps_pd(_mm256_shuffle_ps(b.low, b.high, 0x88));
  return (v16){_mm256_castpd_ps(_mm256_permute4x64_pd(low, 0xd8)),
               _mm256_castpd_ps(_mm256_permute4x64_pd(high, 0xd8))};
}
TAREI_INLINE void v_store(float *p, v16 v) {
  _mm256_storeu_ps(p, v.low);
  _mm256_storeu_ps(p + 8, v.high);
}
/* The first n lanes, all from 8 on. In pieces: some processors take dozens of cycles for a masked
 * store. */
TAREI_INLINE void store8_part(float *p, size_t n, __m256 v) {
  if (n >= 8) {
    _mm256_storeu_ps(p, v);
    return;
  }
  __m128 rest = _mm256_castps256_ps128(v);
  if (n & 4) {
    _mm_storeu_ps(p, rest);
    rest = _mm256_extractf128_ps(v, 1);
    p += 4;
  }
  if (n & 2) {
    _mm_storel_pi((__m64 *)p, rest);
    rest = _mm_movehl_ps(rest, rest);
    p += 2;
  }
  if (n & 1) {
    _mm_store_ss(p, rest);
  }
}
TAREI_INLINE void v_store_part(float *p, v16 v, size_t n) {
  store8_part(p, n, v.low);
  if (n > 8) {
    store8_part(p + 8, n - 8, v.high);
  }
}

TAREI_LANE v16 v_add(v16 a, v16 b) {
  return BOTH(v16, BINARY, _mm256_add_ps, a, b);
}
TAREI_LANE v16 v_sub(v16 a, v16 b) {
  return BOTH(v16, BINARY, _mm256_sub_ps, a, b);
}
TAREI_LANE v16 v_mul(v16 a, v16 b) {
  return BOTH(v16, BINARY, _mm256_mul_ps, a, b);
}
TAREI_LANE v16 v_div(v16 a, v16 b) {
  return BOTH(v16, BINARY, _mm256_div_ps, a, b);
}
TAREI_LANE v16 v_min(v16 a, v16 b) {
  return BOTH(v16, BINARY, _mm256_min_ps, a, b);
}
TAREI_LANE v16 v_max(v16 a, v16 b) {
  return BOTH(v16, BINARY, _mm256_max_ps, a, b);
}
TAREI_LANE v16 v_fma(v16 a, v16 b, v16 c) {
  return BOTH(v16, TERNARY, _mm256_fmadd_ps, a, b, c);
}
TAREI_LANE v16 v_sqrt(v16 a) {
  return BOTH(v16, UNARY, _mm256_sqrt_ps, a);
}
TAREI_LANE v16 v_floor(v16 a) {
  return BOTH(v16, WITH, _mm256_round_ps, a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
TAREI_LANE v16 v_ceil(v16 a) {
  return BOTH(v16, WITH, _mm256_round_ps, a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
}
TAREI_LANE v16 v_round(v16 a) {
  return BOTH(v16, WITH, _mm256_round_ps, a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
TAREI_LANE v16 v_abs(v16 a) {
  const v16 top = v_set1(-0.0f);
  return BOTH(v16, BINARY, _mm256_andnot_ps, top, a);
}
TAREI_LANE v16 v_copysign(v16 a, v16 sign) {
  const v16 top = v_set1(-0.0f);
  const v16 size = v_abs(a);
  const v16 sign_bit = BOTH(v16, BINARY, _mm256_and_ps, top, sign);
  return BOTH(v16, BINARY, _mm256_or_ps, size, sign_bit);
}

#define LESS(half, a, b) _mm256_cmp_ps(a.half, b.half, _CMP_LT_OQ)
#define ORDERED(half, a, b) _mm256_cmp_ps(a.half, b.half, _CMP_ORD_Q)
#define MAX_OR_ZERO(half, a, b) _mm256_and_ps(ORDERED(half, a, a), _mm256_max_ps(a.half, b.half))
#define SELECT(half, m, a, b) _mm256_blendv_ps(b.half, a.half, m.half)
TAREI_LANE v16m v_less(v16 a, v16 b) {
  return BOTH(v16m, LESS, a, b);
}
TAREI_LANE v16m v_is_number(v16 x) {
  return BOTH(v16m, ORDERED, x, x);
}
TAREI_LANE v16 v_max_or_zero(v16 a, v16 b) {
  return BOTH(v16, MAX_OR_ZERO, a, b);
}
TAREI_LANE v16 v_select(v16m m, v16 a, v16 b) {
  return BOTH(v16, SELECT, m, a, b);
}
#undef LESS
#undef ORDERED
#undef MAX_OR_ZERO
#undef SELECT

TAREI_LANE v16i v_bits(v16 a) {
  return BOTH(v16i, UNARY, _mm256_castps_si256, a);
}
TAREI_LANE v16 i_as_float(v16i a) {
  return BOTH(v16, UNARY, _mm256_castsi256_ps, a);
}
TAREI_LANE v16i i_select(v16m m, v16i a, v16i b) {
  return v_bits(v_select(m, i_as_float(a), i_as_float(b)));
}
TAREI_LANE v16i i_set1(int32_t x) {
  return (v16i){_mm256_set1_epi32(x), _mm256_set1_epi32(x)};
}
TAREI_INLINE v16i i_load(const int32_t *p) {
  return (v16i){_mm256_loadu_si256((const __m256i *)p), _mm256_loadu_si256((const __m256i *)p + 1)};
}
TAREI_INLINE v16i i_load_part(const int32_t *p, size_t n) {
  const __m256i low = _mm256_maskload_epi32(p, mask8(n, 0));
  return (v16i){low, n > 8 ? _mm256_maskload_epi32(p + 8, mask8(n, 8)) : _mm256_setzero_si256()};
}
TAREI_LANE v16i i_add(v16i a, v16i b) {
  return BOTH(v16i, BINARY, _mm256_add_epi32, a, b);
}
TAREI_LANE v16i i_sub(v16i a, v16i b) {
  return BOTH(v16i, BINARY, _mm256_sub_epi32, a, b);
}
TAREI_LANE v16i i_max(v16i a, v16i b) {
  return BOTH(v16i, BINARY, _mm256_max_epi32, a, b);
}
TAREI_LANE v16i i_mul(v16i a, v16i b) {
  return BOTH(v16i, BINARY, _mm256_mullo_epi32, a, b);
}
TAREI_LANE v16i i_shift_left(v16i a, int by) {
  return BOTH(v16i, WITH, _mm256_sll_epi32, a, _mm_cvtsi32_si128(by));
}
TAREI_LANE v16i i_shift_right(v16i a, int by) {
  return BOTH(v16i, WITH, _mm256_sra_epi32, a, _mm_cvtsi32_si128(by));
}
TAREI_INLINE int32_t i_sum(v16i a) {
  const __m256i h8 = _mm256_add_epi32(a.low, a.high);
  const __m128i h4 = _mm_add_epi32(_mm256_castsi256_si128(h8), _mm256_extracti128_si256(h8, 1));
  const __m128i h2 = _mm_add_epi32(h4, _mm_unpackhi_epi64(h4, h4));
  return _mm_cvtsi128_si32(_mm_add_epi32(h2, _mm_shuffle_epi32(h2, 1)));
}
TAREI_LANE v16 i_to_float(v16i a) {
  return BOTH(v16, UNARY, _mm256_cvtepi32_ps, a);
}
/* lane i of the result is lane (index[i] mod 16) of the table */
#define LOOKUP(half, table, index)                                   \
  _mm256_blendv_ps(_mm256_permutevar8x32_ps(table.low, index.half),  \
                   _mm256_permutevar8x32_ps(table.high, index.half), \
                   _mm256_castsi256_ps(_mm256_slli_epi32(index.half, 28)))
TAREI_LANE v16 v_lookup(v16 table, v16i index) {
  return BOTH(v16, LOOKUP, table, index);
}
#undef LOOKUP
/* toward zero; lanes within the range of int32 */
TAREI_LANE v16i v_truncate(v16 a) {
  return BOTH(v16i, UNARY, _mm256_cvttps_epi32, a);
}

/* half to even; likewise */
TAREI_LANE v16i v_nearest(v16 a) {
  return BOTH(v16i, UNARY, _mm256_cvtps_epi32, a);
}
#define V16_NARROWS_F16
TAREI_INLINE void v_store_f16(uint16_t *p, v16 v) {
  enum { NEAREST = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC };
  _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph(v.low, NEAREST));
  _mm_storeu_si128((__m128i *)(p + 8), _mm256_cvtps_ph(v.high, NEAREST));
}
#define V16_WIDENS_F16
TAREI_INLINE v16 v_load_f16(const uint16_t *p) {
  return (v16){_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)),
               _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(p + 8)))};
}

TAREI_INLINE __m128i bytes_part(const void *p, size_t n) {
  uint8_t bytes[16] = {0};
  memcpy(bytes, p, n);
  return _mm_loadu_si128((const __m128i *)bytes);
}
TAREI_INLINE v16i i_from_u8(__m128i v) {
  return (v16i){_mm256_cvtepu8_epi32(v), _mm256_cvtepu8_epi32(_mm_srli_si128(v, 8))};
}
TAREI_INLINE v16i i_from_s8(__m128i v) {
  return (v16i){_mm256_cvtepi8_epi32(v), _mm256_cvtepi8_epi32(_mm_srli_si128(v, 8))};
}
TAREI_INLINE v16i i_load_u16(const uint16_t *p) {
  return (v16i){_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p)),
                _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(p + 8)))};
}
TAREI_INLINE v16i i_load_u8(const uint8_t *p) {
  return i_from_u8(_mm_loadu_si128((const __m128i *)p));
}
TAREI_INLINE v16i i_load_u8_part(const uint8_t *p, size_t n) {
  return i_from_u8(bytes_part(p, n));
}
TAREI_INLINE v16i i_load_s8(const int8_t *p) {
  return i_from_s8(_mm_loadu_si128((const __m128i *)p));
}
TAREI_INLINE v16i i_load_s8_part(const int8_t *p, size_t n) {
  return i_from_s8(bytes_part(p, n));
}

/* lanes within 0..65535 */
TAREI_INLINE __m256i i_to_u16(v16i v) {
  return _mm256_permute4x64_epi64(_mm256_packus_epi32(v.low, v.high), 0xd8);
}
TAREI_INLINE void i_store_u16(uint16_t *p, v16i v) {
  _mm256_storeu_si256((__m256i *)p, i_to_u16(v));
}
/* lanes within 0..255 */
TAREI_INLINE void i_store_u8(uint8_t *p, v16i v) {
  const __m256i wide = i_to_u16(v);
  const __m128i low = _mm256_castsi256_si128(wide);
  _mm_storeu_si128((__m128i *)p, _mm_packus_epi16(low, _mm256_extracti128_si256(wide, 1)));
}
/* n of at most 32 bytes, as two parts that may overlap: a call of memcpy takes longer. */
TAREI_INLINE void copy_ends(uint8_t *p, const uint8_t *bytes, size_t n) {
  if (n >= 16) {
    memcpy(p, bytes, 16);
    memcpy(p + n - 16, bytes + n - 16, 16);
  } else if (n >= 8) {
    memcpy(p, bytes, 8);
    memcpy(p + n - 8, bytes + n - 8, 8);
  } else if (n >= 4) {
    memcpy(p, bytes, 4);
    memcpy(p + n - 4, bytes + n - 4, 4);
  } else {
    for (size_t i = 0; i < n; i++) {
      p[i] = bytes[i];
    }
  }
}
TAREI_INLINE void i_store_u8_part(uint8_t *p, v16i v, size_t n) {
  uint8_t bytes[32];
  i_store_u8(bytes, v);
  copy_ends(p, bytes, n);
}

#define V16_HAS_FOURS
/* Lanes of two vectors as words, and of two of those as bytes, back in their order. */
TAREI_INLINE __m256i in_order(__m256i packed) {
  return _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}
TAREI_INLINE void i_store_u8_four(uint8_t *p, const v16i *v) {
#pragma GCC unroll 2
  for (size_t i = 0; i < 4; i += 2) {
    const __m256i first = _mm256_packs_epi32(v[i].low, v[i].high);
    const __m256i second = _mm256_packs_epi32(v[i + 1].low, v[i + 1].high);
    _mm256_storeu_si256((__m256i *)(p + i * 16), in_order(_mm256_packus_epi16(first, second)));
  }
}
TAREI_INLINE __m256i biased_bytes(const v16i *v) {
  const __m256i first = _mm256_packs_epi32(v[0].low, v[0].high);
  const __m256i second = _mm256_packs_epi32(v[1].low, v[1].high);
  const __m256i bytes = in_order(_mm256_packs_epi16(first, second));
  return _mm256_xor_si256(bytes, _mm256_set1_epi8((char)0x80));
}
/* lanes within -128..127 */
TAREI_INLINE void i_store_biased(uint8_t *p, const v16i *v, size_t n) {
  uint8_t all[32];
  if (n >= 32) {
    _mm256_storeu_si256((__m256i *)p, biased_bytes(v));
    p += 32;
    v += 2;
    n -= 32;
  }
  if (n == 32) {
    _mm256_storeu_si256((__m256i *)p, biased_bytes(v));
  } else if (n > 0) {
    _mm256_storeu_si256((__m256i *)all, biased_bytes(v));
    copy_ends(p, all, n);
  }
}

/* Pairs of lanes, and quarters, of two vectors against each other. */
TAREI_INLINE __m256i pairs_max(__m256i a, __m256i b) {
  return _mm256_max_epi32(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
}
TAREI_INLINE __m256i quarters_max(__m256i a, __m256i b) {
  return _mm256_max_epi32(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
}
TAREI_INLINE __m256i halves_max(const v16i *v) {
  return _mm256_max_epi32(v->low, v->high);
}
TAREI_INLINE __m256i i_max_of_eight(const v16i *v) {
  __m256i four[2];
#pragma GCC unroll 2
  for (size_t i = 0; i < 2; i++) {
    const v16i *const q = v + i * 4;
    four[i] = quarters_max(pairs_max(halves_max(q), halves_max(q + 1)),
                           pairs_max(halves_max(q + 2), halves_max(q + 3)));
  }
  return _mm256_max_epi32(_mm256_permute2x128_si256(four[0], four[1], 0x20),
                          _mm256_permute2x128_si256(four[0], four[1], 0x31));
}
TAREI_INLINE v16i i_max_of_each(const v16i *v) {
  return (v16i){i_max_of_eight(v), i_max_of_eight(v + 8)};
}

#define V16_HAS_COLUMNS
TAREI_INLINE __m128 row_part(const float *p, size_t n) {
  return n >= 4 ? _mm_loadu_ps(p) : _mm_maskload_ps(p, _mm256_castsi256_si128(mask8(n, 0)));
}

/* Four columns of eight rows, which become lanes: fours of rows four apart first. */
TAREI_INLINE void load_four_columns(const float *p, size_t ld, size_t rows, size_t n, __m256 *out) {
  __m256 r[4];
#pragma GCC unroll 4
  for (size_t i = 0; i < 4; i++) {
    const __m128 low = i < rows ? row_part(p + i * ld, n) : _mm_setzero_ps();
    const __m128 high = i + 4 < rows ? row_part(p + (i + 4) * ld, n) : _mm_setzero_ps();
    r[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
  }
  const __m256d a = _mm256_castps_pd(_mm256_unpacklo_ps(r[0], r[1]));
  const __m256d b = _mm256_castps_pd(_mm256_unpackhi_ps(r[0], r[1]));
  const __m256d c = _mm256_castps_pd(_mm256_unpacklo_ps(r[2], r[3]));
  const __m256d d = _mm256_castps_pd(_mm256_unpackhi_ps(r[2], r[3]));
  out[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, c));
  out[1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, c));
  out[2] = _mm256_castpd_ps(_mm256_unpacklo_pd(b, d));
  out[3] = _mm256_castpd_ps(_mm256_unpackhi_pd(b, d));
}

/* Columns of at most sixteen rows, which become lanes: n <= 8 of them, and zeros for other rows. */
TAREI_INLINE void v_load_columns(const float *p, size_t ld, size_t rows, size_t n, v16 *out) {
  const size_t rest = rows > 8 ? rows - 8 : 0;
  const float *const below = p + (rest ? 8 * ld : 0);
  v16 all[8];
  __m256 four[4];
#pragma GCC unroll 2
  for (size_t c = 0; c < 8; c += 4) {
    const size_t left = n > c ? n - c : 0;
    load_four_columns(p + (left ? c : 0), ld, rows, left, four);
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++) {
      all[c + i].low = four[i];
    }
    load_four_columns(below + (left ? c : 0), ld, rest, left, four);
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++) {
      all[c + i].high = four[i];
    }
  }
#pragma GCC unroll 8
  for (size_t c = 0; c < 8; c++) {
    if (c < n) {
      out[c] = all[c];
    }
  }
}

TAREI_INLINE void v_store_columns(float *p, size_t ld, size_t rows, size_t n, const v16 *v) {
  _Alignas(32) float lanes[8][16];
  for (size_t c = 0; c < n; c++) {
    v_store(lanes[c], v[c]);
  }
  for (size_t i = 0; i < rows; i++) {
    for (size_t c = 0; c < n; c++) {
      p[i * ld + c] = lanes[c][i];
    }
  }
}

#define REDUCE(op)                                                                      \
  const __m256 h8 = _mm256_##op(v.low, v.high);                                         \
  const __m128 h4 = _mm_##op(_mm256_castps256_ps128(h8), _mm256_extractf128_ps(h8, 1)); \
  const __m128 h2 = _mm_##op(h4, _mm_movehl_ps(h4, h4));                                \
  return _mm_cvtss_f32(_mm_##op(h2, _mm_shuffle_ps(h2, h2, 1)))
TAREI_INLINE float v_sum(v16 v) {
  REDUCE(add_ps);
}
TAREI_INLINE float v_reduce_min(v16 v) {
  REDUCE(min_ps);
}
TAREI_INLINE float v_reduce_max(v16 v) {
  REDUCE(max_ps);
}
#undef REDUCE
#undef BOTH
#undef UNARY
#undef BINARY
#undef TERNARY
#undef WITH

/* TAREI_BYTES unsigned bytes */
#define TAREI_BYTES 32
typedef __m256i vbytes;
TAREI_INLINE vbytes vb_load(const uint8_t *p) {
  return _mm256_loadu_si256((const __m256i *)p);
}
TAREI_INLINE void vb_store(uint8_t *p, vbytes v) {
  _mm256_storeu_si256((__m256i *)p, v);
}
TAREI_INLINE vbytes vb_max(vbytes a, vbytes b) {
  return _mm256_max_epu8(a, b);
}
