/* What is most frequent is finished where the sums are, in registers: multiplied, with the bias
 * that row scales keep out of the sums, and rounded to bytes within bounds or stored as floats. */
#ifndef TAREI_KERNELS_X86_I8_REGISTERS_H
#define TAREI_KERNELS_X86_I8_REGISTERS_H

#include <math.h>

#include "kernels/generic/gemm_walk.h"
#include "kernels/x86/byte_bounds.h"
#include "kernels/x86/i8_bytes.h"

enum {
  I8_MOST_VECTORS = 28,
  I8_MOST_CUT = 3, /* vectors of a row whose last one may have fewer columns */
};

/* `vectors` below: of a row. One to three end with the last panel, which may be half a panel or
 * less; more are of whole panels. */
typedef struct i8_sums {
  __m512i v[I8_MOST_VECTORS]; /* [row][vector] */
} i8_sums;

typedef enum i8_form {
  I8_ANY, /* not by registers */
  I8_BYTES,
  I8_BYTES_BY_ROWS, /* with a factor for each row, a bias, or both */
  I8_BYTES_SCALED,  /* and with inv_scale */
  I8_FLOATS,
  I8_FLOATS_AND_RESIDUAL,
} i8_form;

TAREI_INLINE bool i8_are_bytes(const tarei_epilogue *e) {
  return !e->out_f32 && !e->residual && !e->table && e->inv_scale > 0 && has_byte_bounds(e);
}

TAREI_INLINE bool i8_are_floats(const tarei_epilogue *e) {
  return !e->out_u8 && (e->act == TAREI_ACT_none || e->act == TAREI_ACT_relu);
}

TAREI_INLINE i8_form i8_form_of(const tarei_epilogue *e) {
  if (!e->mult || e->upper || e->residual_u8) {
    return I8_ANY;
  }
  if (i8_are_floats(e)) {
    return e->residual ? I8_FLOATS_AND_RESIDUAL : I8_FLOATS;
  }
  return !i8_are_bytes(e)         ? I8_ANY
         : e->inv_scale != 1.0f   ? I8_BYTES_SCALED
         : e->row_mult || e->bias ? I8_BYTES_BY_ROWS
                                  : I8_BYTES;
}

/* The factors of columns and rows, and what is added. A missing factor is 1 and a missing bias -0,
 * which change no float. */
typedef struct i8_scaled {
  const float *mult, *bias, *rows;
  size_t row_step, n; /* columns from the first on */
  v16 inv_scale;
} i8_scaled;

TAREI_INLINE i8_scaled i8_scaled_of(const tarei_i8_gemm *g, size_t m0, size_t panel) {
  static const float no_factor = 1.0f;
  const tarei_epilogue *const e = &g->epilogue;
  const size_t n0 = panel * GEMM_PANEL;
  return (i8_scaled){.mult = e->mult + n0,
                     .bias = e->bias ? e->bias + n0 : NULL,
                     .rows = e->row_mult ? e->row_mult + m0 : &no_factor,
                     .row_step = e->row_mult ? 1 : 0,
                     .n = g->n - n0,
                     .inv_scale = v_set1(e->inv_scale)};
}

/* The columns of vector q. */
TAREI_INLINE v16m i8_columns(size_t n, size_t q, const size_t vectors) {
  const size_t first = q * TAREI_LANES;
  return vectors > I8_MOST_CUT || n - first >= TAREI_LANES ? m_first(TAREI_LANES)
                                                           : m_first(n - first);
}

TAREI_INLINE v16 i8_load_columns(const i8_scaled *s, const float *values, size_t q,
                                 const size_t vectors) {
  const float *const at = values + q * TAREI_LANES;
  return vectors > I8_MOST_CUT ? v_load(at)
                               : _mm512_maskz_loadu_ps(i8_columns(s->n, q, vectors), at);
}

TAREI_INLINE v16 i8_bias(const i8_scaled *s, size_t q, const size_t vectors) {
  return s->bias ? i8_load_columns(s, s->bias, q, vectors) : v_set1(-0.0f);
}

/* What a sum is multiplied by at most; bias, and what multiplies it, count as part of it. */
TAREI_INLINE v16 i8_whole_mult(const i8_scaled *s, size_t q, v16 row_mult, const size_t vectors) {
  const v16 mult = v_mul(v_abs(i8_load_columns(s, s->mult, q, vectors)), row_mult);
  const v16 bias = v_mul(v_abs(i8_bias(s, q, vectors)), v_set1(0x1p-31f));
  return v_mul(v_add(mult, bias), v_max(v_set1(I8_LEAST_FACTOR), s->inv_scale));
}

/* The form that these columns allow. `row_mult`: the rows' largest, or 1. */
TAREI_INLINE i8_form i8_form_of_panels(const tarei_i8_gemm *g, i8_form form, v16 row_mult,
                                       size_t panel, const size_t vectors) {
  const i8_scaled s = i8_scaled_of(g, 0, panel);
  bool fits = form != I8_ANY && (vectors <= I8_MOST_CUT || vectors * TAREI_LANES <= s.n);
  if (fits && form < I8_FLOATS) {
#pragma GCC unroll 8
    for (size_t q = 0; q < vectors; q++) {
      const v16 mult = i8_whole_mult(&s, q, row_mult, vectors);
      fits = fits && i8_is_tame(mult, mult);
    }
  }
  return fits ? form : I8_ANY;
}

/* Vector `q` of a row. */
TAREI_INLINE v16 i8_scale(const i8_scaled *s, size_t row, size_t q, const size_t vectors,
                          __m512i sum) {
  const v16 f = v_mul(i_to_float(sum), i8_load_columns(s, s->mult, q, vectors));
  return v_add(v_mul(f, v_set1(s->rows[row * s->row_step])), i8_bias(s, q, vectors));
}

TAREI_INLINE v16i i8_rounded(const i8_sums *sums, const i8_scaled *s, size_t i,
                             const size_t vectors, const i8_form form) {
  const size_t row = i / vectors, q = i % vectors;
  const v16 f = form == I8_BYTES
                    ? v_mul(i_to_float(sums->v[i]), i8_load_columns(s, s->mult, q, vectors))
                    : i8_scale(s, row, q, vectors, sums->v[i]);
  return _mm512_cvtps_epi32(form == I8_BYTES_SCALED ? v_mul(f, s->inv_scale) : f);
}

/* Bytes of the vectors from one on: of a row, of two rows, or of four; `rows` are left, and n
 * columns. */
TAREI_INLINE void i8_store_rows(uint8_t *to, size_t ld, size_t n, const size_t rows,
                                const size_t vectors, __m512i bytes) {
  if (vectors > I8_MOST_CUT) {
    _mm512_storeu_si512(to, bytes);
  } else if (vectors == 3) {
    const size_t columns = n < 3 * TAREI_LANES ? n : 3 * TAREI_LANES;
    _mm512_mask_storeu_epi8(to, (1ull << columns) - 1, bytes);
  } else if (vectors == 2) {
    const __mmask32 mask = n < GEMM_PANEL ? (1u << n) - 1u : ~0u;
    _mm256_mask_storeu_epi8(to, mask, _mm512_castsi512_si256(bytes));
    if (rows > 1) {
      _mm256_mask_storeu_epi8(to + ld, mask, _mm512_extracti64x4_epi64(bytes, 1));
    }
  } else {
    const v16m mask = m_first(n);
    _mm_mask_storeu_epi8(to, mask, _mm512_castsi512_si128(bytes));
    if (rows > 1) {
      _mm_mask_storeu_epi8(to + ld, mask, _mm512_extracti32x4_epi32(bytes, 1));
    }
    if (rows > 2) {
      _mm_mask_storeu_epi8(to + 2 * ld, mask, _mm512_extracti32x4_epi32(bytes, 2));
    }
    if (rows > 3) {
      _mm_mask_storeu_epi8(to + 3 * ld, mask, _mm512_extracti32x4_epi32(bytes, 3));
    }
  }
}

/* Four vectors make one of bytes, or the three of a row. */
TAREI_INLINE void i8_put_bytes(const i8_sums *sums, const tarei_i8_gemm *g, byte_bounds bounds,
                               size_t m0, size_t panel, const size_t rows, const size_t vectors,
                               const i8_form form) {
  const i8_scaled s = i8_scaled_of(g, m0, panel);
  const size_t ld = g->epilogue.ld_u8, all = rows * vectors, at_once = vectors == 3 ? 3 : 4;
  uint8_t *const out = g->epilogue.out_u8 + m0 * ld + panel * GEMM_PANEL;
  const __m512i zero_point = _mm512_set1_epi16((int16_t)g->epilogue.zero_point);
  const __m512i low = _mm512_set1_epi8((char)bounds.low);
  const __m512i high = _mm512_set1_epi8((char)bounds.high);
#pragma GCC unroll 28
  for (size_t i = 0; i < all; i += at_once) {
    v16i four[4];
#pragma GCC unroll 4
    for (size_t k = 0; k < 4; k++) {
      const size_t one = k < at_once ? i + k : i;
      four[k] = i8_rounded(sums, &s, one < all ? one : all - 1, vectors, form);
    }
    const __m512i bytes =
        i8_bytes(i8_words(four[0], four[1], zero_point), i8_words(four[2], four[3], zero_point));
    i8_store_rows(out + i / vectors * ld + i % vectors * TAREI_LANES, ld, s.n, rows - i / vectors,
                  vectors, _mm512_min_epu8(_mm512_max_epu8(bytes, low), high));
  }
}

TAREI_INLINE void i8_put_floats(const i8_sums *sums, const tarei_i8_gemm *g, size_t m0,
                                size_t panel, const size_t rows, const size_t vectors,
                                const bool residual) {
  const tarei_epilogue *const e = &g->epilogue;
  const i8_scaled s = i8_scaled_of(g, m0, panel);
  const v16 zero = v_set1(0.0f), none = v_set1(-INFINITY);
  const bool relu = e->act == TAREI_ACT_relu, relu_last = residual && e->act_last;
  const v16 low = relu && !relu_last ? zero : none, last = relu && relu_last ? zero : none;
  const size_t ld = e->ld_f32, ld_more = e->ld_residual, col = panel * GEMM_PANEL;
  float *const out = e->out_f32 + m0 * ld + col;
  const float *const more = residual ? e->residual + m0 * ld_more + col : NULL;
#pragma GCC unroll 14
  for (size_t i = 0; i < rows; i++) {
#pragma GCC unroll 8
    for (size_t q = 0; q < vectors; q++) {
      v16 f = v_max(low, i8_scale(&s, i, q, vectors, sums->v[i * vectors + q]));
      if (residual) {
        f = v_max(last, v_add(f, i8_load_columns(&s, more + i * ld_more, q, vectors)));
      }
      _mm512_mask_storeu_ps(out + i * ld + q * TAREI_LANES, i8_columns(s.n, q, vectors), f);
    }
  }
}

#endif
