/* What is most frequent is finished where the sums are, in registers: multiplied, with the bias that
 * row scales keep out of the sums, and rounded to bytes or stored as floats. */
#ifndef TAREI_KERNELS_X86_I8_REGISTERS_H
#define TAREI_KERNELS_X86_I8_REGISTERS_H

#include <math.h>

#include "kernels/generic/gemm_walk.h"
#include "kernels/x86/i8_bytes.h"

enum { I8_MOST_VECTORS = 28 };

typedef struct i8_sums {
  __m512i v[I8_MOST_VECTORS]; /* [row][panel][half] */
} i8_sums;

typedef enum i8_form {
  I8_ANY, /* not by registers */
  I8_BYTES,
  I8_BYTES_BY_ROWS, /* with a factor for each row, a bias, or both */
  I8_FLOATS,
  I8_FLOATS_AND_RESIDUAL,
} i8_form;

TAREI_INLINE bool i8_are_bytes(const tarei_epilogue *e) {
  const bool bounded_by_zero = e->act == TAREI_ACT_relu && e->zero_point == 0;
  return !e->out_f32 && !e->residual && !e->table && e->inv_scale == 1.0f &&
         (e->act == TAREI_ACT_none || bounded_by_zero);
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
  return !i8_are_bytes(e) ? I8_ANY : e->row_mult || e->bias ? I8_BYTES_BY_ROWS : I8_BYTES;
}

/* What a sum is multiplied by at most; bias counts as part of it. */
TAREI_INLINE v16 i8_whole_mult(const tarei_epilogue *e, size_t col, v16 row_mult) {
  const v16 mult = v_mul(v_abs(v_load(e->mult + col)), row_mult);
  return e->bias ? v_add(mult, v_mul(v_abs(v_load(e->bias + col)), v_set1(0x1p-31f))) : mult;
}

/* The form that these panels allow. `row_mult`: the rows' largest, or 1. */
TAREI_INLINE i8_form i8_form_of_panels(const tarei_i8_gemm *g, i8_form form, v16 row_mult,
                                       size_t panel, const size_t panels) {
  const bool rounds = form == I8_BYTES || form == I8_BYTES_BY_ROWS;
  bool fits = form != I8_ANY && (panel + panels) * GEMM_PANEL <= g->n;
  if (!rounds || !fits) {
    return fits ? form : I8_ANY;
  }
#pragma GCC unroll 4
  for (size_t q = 0; q < panels; q++) {
    const size_t col = (panel + q) * GEMM_PANEL;
    fits = fits && i8_is_tame(i8_whole_mult(&g->epilogue, col, row_mult),
                              i8_whole_mult(&g->epilogue, col + TAREI_LANES, row_mult));
  }
  return fits ? form : I8_ANY;
}

/* The factors of columns and rows, and what is added. A missing factor is 1 and a missing bias -0,
 * which change no float. */
typedef struct i8_scaled {
  const float *mult, *bias, *rows;
  size_t bias_step, row_step;
} i8_scaled;

TAREI_INLINE i8_scaled i8_scaled_of(const tarei_epilogue *e, size_t m0, size_t panel) {
  static const _Alignas(64) float no_bias[TAREI_LANES] = {
      -0.0f, -0.0f, -0.0f, -0.0f, -0.0f, -0.0f, -0.0f, -0.0f,
      -0.0f, -0.0f, -0.0f, -0.0f, -0.0f, -0.0f, -0.0f, -0.0f};
  static const float no_factor = 1.0f;
  return (i8_scaled){.mult = e->mult + panel * GEMM_PANEL,
                     .bias = e->bias ? e->bias + panel * GEMM_PANEL : no_bias,
                     .rows = e->row_mult ? e->row_mult + m0 : &no_factor,
                     .bias_step = e->bias ? TAREI_LANES : 0,
                     .row_step = e->row_mult ? 1 : 0};
}

/* Vector `q` of a row. */
TAREI_INLINE v16 i8_scale(const i8_scaled *s, size_t row, size_t q, __m512i sum) {
  const v16 f = v_mul(i_to_float(sum), v_load(s->mult + q * TAREI_LANES));
  return v_add(v_mul(f, v_set1(s->rows[row * s->row_step])), v_load(s->bias + q * s->bias_step));
}

TAREI_INLINE __m512i i8_words_of(const i8_sums *sums, const i8_scaled *s, const size_t panels,
                                 const size_t i, const bool by_rows, __m512i zero_point) {
  v16 f[2];
#pragma GCC unroll 2
  for (size_t h = 0; h < 2; h++) {
    const size_t q = i % panels * 2 + h;
    const __m512i sum = sums->v[2 * i + h];
    f[h] = by_rows ? i8_scale(s, i / panels, q, sum)
                   : v_mul(i_to_float(sum), v_load(s->mult + q * TAREI_LANES));
  }
  return i8_words(_mm512_cvtps_epi32(f[0]), _mm512_cvtps_epi32(f[1]), zero_point);
}

/* Two panels of a row, or two rows of a panel, make a vector of bytes. */
TAREI_INLINE void i8_put_bytes(const i8_sums *sums, const tarei_epilogue *e, size_t m0, size_t panel,
                               const size_t rows, const size_t panels, const bool by_rows) {
  const __m512i zero_point = _mm512_set1_epi16((int16_t)e->zero_point);
  const i8_scaled s = i8_scaled_of(e, m0, panel);
  const size_t ld = e->ld_u8;
  uint8_t *const out = e->out_u8 + m0 * ld + panel * GEMM_PANEL;
#pragma GCC unroll 28
  for (size_t i = 0; i < rows * panels; i += 2) {
    const size_t next = i + 1 < rows * panels ? i + 1 : i;
    const __m512i first = i8_words_of(sums, &s, panels, i, by_rows, zero_point);
    const __m512i second = i8_words_of(sums, &s, panels, next, by_rows, zero_point);
    const __m512i bytes = i8_bytes(first, second);
    uint8_t *const to = out + i / panels * ld + i % panels * GEMM_PANEL;
    if (panels > 1) {
      _mm512_storeu_si512(to, bytes);
      continue;
    }
    _mm256_storeu_si256((__m256i *)to, _mm512_castsi512_si256(bytes));
    if (next > i) {
      _mm256_storeu_si256((__m256i *)(to + ld), _mm512_extracti64x4_epi64(bytes, 1));
    }
  }
}

TAREI_INLINE void i8_put_floats(const i8_sums *sums, const tarei_epilogue *e, size_t m0,
                                size_t panel, const size_t rows, const size_t panels,
                                const bool residual) {
  const i8_scaled s = i8_scaled_of(e, m0, panel);
  const v16 zero = v_set1(0.0f), none = v_set1(-INFINITY);
  const bool relu = e->act == TAREI_ACT_relu, relu_last = residual && e->act_last;
  const v16 low = relu && !relu_last ? zero : none, last = relu && relu_last ? zero : none;
  const size_t ld = e->ld_f32, ld_more = e->ld_residual, col = panel * GEMM_PANEL;
  float *const out = e->out_f32 + m0 * ld + col;
  const float *const more = residual ? e->residual + m0 * ld_more + col : NULL;
#pragma GCC unroll 14
  for (size_t i = 0; i < rows; i++) {
#pragma GCC unroll 8
    for (size_t q = 0; q < 2 * panels; q++) {
      const size_t at = q * TAREI_LANES;
      const v16 f = v_max(low, i8_scale(&s, i, q, sums->v[i * 2 * panels + q]));
      v_store(out + i * ld + at,
              residual ? v_max(last, v_add(f, v_load(more + i * ld_more + at))) : f);
    }
  }
}

#endif
