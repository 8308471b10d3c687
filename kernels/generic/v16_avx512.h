/* v16 on AVX-512 F, BW, VL and DQ. */
#include <immintrin.h>

typedef __m512 v16;
typedef __m512i v16i;
typedef __mmask16 v16m;
#define V16_REGISTERS 32

TAREI_INLINE v16m m_first(size_t n) { return (v16m)((1u << n) - 1u); }
TAREI_INLINE v16m m_and(v16m a, v16m b) { return a & b; }
TAREI_INLINE unsigned m_count(v16m m) { return (unsigned)__builtin_popcount(m); }
#define V16_HAS_RUN
TAREI_INLINE unsigned m_run(v16m m) { return (unsigned)__builtin_ctz(~(unsigned)m); }

TAREI_INLINE v16 v_set1(float x) { return _mm512_set1_ps(x); }
TAREI_INLINE v16 v_load(const float *p) { return _mm512_loadu_ps(p); }
TAREI_INLINE v16 v_load_part(const float *p, size_t n) {
  return _mm512_maskz_loadu_ps(m_first(n), p);
}
TAREI_INLINE v16 v_load_halves(const float *low, const float *high) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(low)), _mm256_loadu_ps(high), 1);
}
TAREI_INLINE v16 v_even(v16 a, v16 b) {
  const __m512i lanes =
      _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  return _mm512_permutex2var_ps(a, lanes, b);
}
TAREI_INLINE void v_store(float *p, v16 v) { _mm512_storeu_ps(p, v); }
TAREI_INLINE void v_store_part(float *p, v16 v, size_t n) {
  _mm512_mask_storeu_ps(p, m_first(n), v);
}

TAREI_INLINE v16 v_add(v16 a, v16 b) { return _mm512_add_ps(a, b); }
TAREI_INLINE v16 v_sub(v16 a, v16 b) { return _mm512_sub_ps(a, b); }
TAREI_INLINE v16 v_mul(v16 a, v16 b) { return _mm512_mul_ps(a, b); }
TAREI_INLINE v16 v_div(v16 a, v16 b) { return _mm512_div_ps(a, b); }
TAREI_INLINE v16 v_min(v16 a, v16 b) { return _mm512_min_ps(a, b); }
TAREI_INLINE v16 v_max(v16 a, v16 b) { return _mm512_max_ps(a, b); }
TAREI_INLINE v16 v_max_or_zero(v16 a, v16 b) {
  return _mm512_maskz_max_ps(_mm512_cmp_ps_mask(a, a, _CMP_ORD_Q), a, b);
}
TAREI_INLINE v16 v_fma(v16 a, v16 b, v16 c) { return _mm512_fmadd_ps(a, b, c); }
TAREI_INLINE v16 v_sqrt(v16 a) { return _mm512_sqrt_ps(a); }
TAREI_INLINE v16 v_floor(v16 a) {
  return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
TAREI_INLINE v16 v_ceil(v16 a) {
  return _mm512_roundscale_ps(a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
}
TAREI_INLINE v16 v_round(v16 a) {
  return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
TAREI_INLINE v16 v_abs(v16 a) { return _mm512_abs_ps(a); }
TAREI_INLINE v16 v_copysign(v16 a, v16 sign) {
  const v16 top = v_set1(-0.0f);
  return _mm512_or_ps(_mm512_andnot_ps(top, a), _mm512_and_ps(top, sign));
}

TAREI_INLINE v16m v_less(v16 a, v16 b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
TAREI_INLINE v16m v_is_number(v16 x) { return _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q); }
TAREI_INLINE v16 v_select(v16m m, v16 a, v16 b) { return _mm512_mask_blend_ps(m, b, a); }
TAREI_INLINE v16i i_select(v16m m, v16i a, v16i b) { return _mm512_mask_blend_epi32(m, b, a); }

/* lane i of the result is lane (index[i] mod 16) of the table */
TAREI_INLINE v16 v_lookup(v16 table, v16i index) { return _mm512_permutexvar_ps(index, table); }

TAREI_INLINE v16i v_bits(v16 a) { return _mm512_castps_si512(a); }
TAREI_INLINE v16 i_as_float(v16i a) { return _mm512_castsi512_ps(a); }
TAREI_INLINE v16i i_set1(int32_t x) { return _mm512_set1_epi32(x); }
TAREI_INLINE v16i i_load(const int32_t *p) { return _mm512_loadu_si512(p); }
TAREI_INLINE v16i i_load_part(const int32_t *p, size_t n) {
  return _mm512_maskz_loadu_epi32(m_first(n), p);
}
TAREI_INLINE v16i i_add(v16i a, v16i b) { return _mm512_add_epi32(a, b); }
TAREI_INLINE v16i i_sub(v16i a, v16i b) { return _mm512_sub_epi32(a, b); }
TAREI_INLINE v16i i_max(v16i a, v16i b) { return _mm512_max_epi32(a, b); }
TAREI_INLINE v16i i_mul(v16i a, v16i b) { return _mm512_mullo_epi32(a, b); }
TAREI_INLINE v16i i_shift_left(v16i a, int by) {
  return _mm512_sll_epi32(a, _mm_cvtsi32_si128(by));
}
TAREI_INLINE v16i i_shift_right(v16i a, int by) {
  return _mm512_sra_epi32(a, _mm_cvtsi32_si128(by));
}
TAREI_INLINE int32_t i_sum(v16i a) { return _mm512_reduce_add_epi32(a); }
TAREI_INLINE v16 i_to_float(v16i a) { return _mm512_cvtepi32_ps(a); }
#define V16_NARROWS_F16
TAREI_INLINE void v_store_f16(uint16_t *p, v16 v) {
  enum { NEAREST = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC };
  _mm256_storeu_si256((__m256i *)p, _mm512_cvtps_ph(v, NEAREST));
}
#define V16_WIDENS_F16
TAREI_INLINE v16 v_load_f16(const uint16_t *p) {
  return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
}
TAREI_INLINE v16i i_load_u16(const uint16_t *p) {
  return _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
}
TAREI_INLINE v16i i_load_u8(const uint8_t *p) {
  return _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)p));
}
TAREI_INLINE v16i i_load_u8_part(const uint8_t *p, size_t n) {
  return _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(m_first(n), p));
}
TAREI_INLINE v16i i_load_s8(const int8_t *p) {
  return _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p));
}
TAREI_INLINE v16i i_load_s8_part(const int8_t *p, size_t n) {
  return _mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(m_first(n), p));
}
/* lanes within 0..255 */
TAREI_INLINE void i_store_u8(uint8_t *p, v16i v) {
  _mm_storeu_si128((__m128i *)p, _mm512_cvtepi32_epi8(v));
}
TAREI_INLINE void i_store_u8_part(uint8_t *p, v16i v, size_t n) {
  _mm_mask_storeu_epi8(p, m_first(n), _mm512_cvtepi32_epi8(v));
}
#define V16_HAS_FOURS
TAREI_INLINE void i_store_u8_four(uint8_t *p, const v16i *v) {
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m512i first = _mm512_packs_epi32(v[0], v[1]);
  const __m512i bytes = _mm512_packus_epi16(first, _mm512_packs_epi32(v[2], v[3]));
  _mm512_storeu_si512(p, _mm512_permutexvar_epi32(order, bytes));
}
/* lanes within -128..127 */
TAREI_INLINE void i_store_biased(uint8_t *p, const v16i *v, size_t n) {
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m512i first = _mm512_packs_epi32(v[0], v[1]);
  const __m512i bytes = _mm512_packs_epi16(first, _mm512_packs_epi32(v[2], v[3]));
  const __m512i biased = _mm512_xor_si512(bytes, _mm512_set1_epi8((char)0x80));
  const __m512i all = _mm512_permutexvar_epi32(order, biased);
  if (n == 64) {
    _mm512_storeu_si512(p, all);
  } else {
    _mm512_mask_storeu_epi8(p, (UINT64_C(1) << n) - 1, all);
  }
}
/* lanes within 0..65535 */
TAREI_INLINE void i_store_u16(uint16_t *p, v16i v) {
  _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi32_epi16(v));
}
/* toward zero; lanes within the range of int32 */
TAREI_INLINE v16i v_truncate(v16 a) { return _mm512_cvttps_epi32(a); }
/* half to even; likewise */
TAREI_INLINE v16i v_nearest(v16 a) { return _mm512_cvtps_epi32(a); }

/* Halves of two vectors against each other, quarters, and so on: 45 operations for all. */
TAREI_INLINE v16i halves_max(v16i a, v16i b) {
  return i_max(_mm512_shuffle_i32x4(a, b, 0x44), _mm512_shuffle_i32x4(a, b, 0xee));
}
TAREI_INLINE v16i quarters_max(v16i a, v16i b) {
  return i_max(_mm512_shuffle_i32x4(a, b, 0x88), _mm512_shuffle_i32x4(a, b, 0xdd));
}
TAREI_INLINE v16i pairs_max(v16i a, v16i b) {
  return i_max(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
}
TAREI_INLINE v16i i_max_of_each(const v16i *v) {
  v16i four[4];
#pragma GCC unroll 4
  for (size_t i = 0; i < 4; i++) {
    const v16i *const q = v + i * 4;
    four[i] = quarters_max(halves_max(q[0], q[1]), halves_max(q[2], q[3]));
  }
  const v16i low = pairs_max(four[0], four[1]), high = pairs_max(four[2], four[3]);
  const v16i each = i_max(_mm512_unpacklo_epi64(low, high), _mm512_unpackhi_epi64(low, high));
  const v16i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return _mm512_permutexvar_epi32(order, each);
}

#define V16_HAS_COLUMNS
/* Squares of four by four, within quarters of vectors. */
TAREI_INLINE void turn_squares(const v16 *in, v16 *out) {
  const __m512d low = _mm512_castps_pd(_mm512_unpacklo_ps(in[0], in[1]));
  const __m512d high = _mm512_castps_pd(_mm512_unpackhi_ps(in[0], in[1]));
  const __m512d other_low = _mm512_castps_pd(_mm512_unpacklo_ps(in[2], in[3]));
  const __m512d other_high = _mm512_castps_pd(_mm512_unpackhi_ps(in[2], in[3]));
  out[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(low, other_low));
  out[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low, other_low));
  out[2] = _mm512_castpd_ps(_mm512_unpacklo_pd(high, other_high));
  out[3] = _mm512_castpd_ps(_mm512_unpackhi_pd(high, other_high));
}

TAREI_INLINE __m256 row_part(const float *p, size_t ld, size_t row, size_t rows, __mmask8 columns) {
  return row < rows ? _mm256_maskz_loadu_ps(columns, p + row * ld) : _mm256_setzero_ps();
}

/* Columns of at most sixteen rows, which become lanes: n <= 8 of them, and zeros for other rows. */
TAREI_INLINE void v_load_columns(const float *p, size_t ld, size_t rows, size_t n, v16 *out) {
  const __mmask8 columns = (__mmask8)m_first(n);
  v16 two[8], squares[8], all[8];
#pragma GCC unroll 8
  for (size_t i = 0; i < 8; i++) {
    const size_t row = i / 4 * 8 + i % 4;
    two[i] = _mm512_insertf32x8(_mm512_castps256_ps512(row_part(p, ld, row, rows, columns)),
                                row_part(p, ld, row + 4, rows, columns), 1);
  }
  turn_squares(two, squares);
  turn_squares(two + 4, squares + 4);
#pragma GCC unroll 4
  for (size_t i = 0; i < 4; i++) {
    all[i] = _mm512_shuffle_f32x4(squares[i], squares[i + 4], 0x88);
    all[i + 4] = _mm512_shuffle_f32x4(squares[i], squares[i + 4], 0xdd);
  }
#pragma GCC unroll 8
  for (size_t i = 0; i < 8; i++) {
    if (i < n) {
      out[i] = all[i];
    }
  }
}

TAREI_INLINE void put_row_part(float *p, size_t ld, size_t row, size_t rows, __mmask8 columns,
                               __m256 v) {
  if (row < rows) {
    _mm256_mask_storeu_ps(p + row * ld, columns, v);
  }
}

TAREI_INLINE void v_store_columns(float *p, size_t ld, size_t rows, size_t n, const v16 *v) {
  const __mmask8 columns = (__mmask8)m_first(n);
  v16 all[8], squares[8], two[8];
#pragma GCC unroll 8
  for (size_t i = 0; i < 8; i++) {
    all[i] = i < n ? v[i] : _mm512_setzero_ps();
  }
#pragma GCC unroll 4
  for (size_t i = 0; i < 4; i++) {
    squares[i] = _mm512_shuffle_f32x4(all[i], all[i + 4], 0x44);
    squares[i + 4] = _mm512_shuffle_f32x4(all[i], all[i + 4], 0xee);
  }
  turn_squares(squares, two);
  turn_squares(squares + 4, two + 4);
#pragma GCC unroll 8
  for (size_t i = 0; i < 8; i++) {
    const size_t row = i / 4 * 8 + i % 4;
    const v16 turned = _mm512_shuffle_f32x4(two[i], two[i], 0xd8);
    put_row_part(p, ld, row, rows, columns, _mm512_castps512_ps256(turned));
    put_row_part(p, ld, row + 4, rows, columns, _mm512_extractf32x8_ps(turned, 1));
  }
}

#define REDUCE(op)                                                                            \
  const __m256 h8 = _mm256_##op(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));     \
  const __m128 h4 = _mm_##op(_mm256_castps256_ps128(h8), _mm256_extractf128_ps(h8, 1));       \
  const __m128 h2 = _mm_##op(h4, _mm_movehl_ps(h4, h4));                                      \
  return _mm_cvtss_f32(_mm_##op(h2, _mm_shuffle_ps(h2, h2, 1)))
TAREI_INLINE float v_sum(v16 v) { REDUCE(add_ps); }
TAREI_INLINE float v_reduce_min(v16 v) { REDUCE(min_ps); }
TAREI_INLINE float v_reduce_max(v16 v) { REDUCE(max_ps); }
#undef REDUCE
#define V16_HAS_SHORT_MAX
/* The largest of the lanes, of which those from n on are not larger than the others. */
TAREI_INLINE float v_reduce_max_of(v16 v, size_t n) {
  if (n > 4) {
    return v_reduce_max(v);
  }
  const __m128 h4 = _mm512_castps512_ps128(v), h2 = _mm_max_ps(h4, _mm_movehl_ps(h4, h4));
  return _mm_cvtss_f32(_mm_max_ss(h2, _mm_movehdup_ps(h2)));
}

/* TAREI_BYTES unsigned bytes */
#define TAREI_BYTES 64
typedef __m512i vbytes;
TAREI_INLINE vbytes vb_load(const uint8_t *p) { return _mm512_loadu_si512(p); }
TAREI_INLINE void vb_store(uint8_t *p, vbytes v) { _mm512_storeu_si512(p, v); }
TAREI_INLINE vbytes vb_max(vbytes a, vbytes b) { return _mm512_max_epu8(a, b); }
