/* Products of few k: the weights of two panels stay in registers while the rows pass, and sums are
 * finished where they arise. A convolution's first layer on one channel is such a product. */
#ifndef TAREI_KERNELS_X86_I8_THIN_H
#define TAREI_KERNELS_X86_I8_THIN_H

#include <immintrin.h>
#include <string.h>

#include "kernels/generic/gemm_walk.h"
#include "kernels/x86/byte_bounds.h"
#include "kernels/x86/i8_bytes.h"

enum {
  THIN_MAX_STEPS = 4, /* of four k */
  THIN_PANELS = 2,
  THIN_VECTORS = 2 * THIN_PANELS,
  THIN_ROWS = 64, /* at a time through all panels: their outputs lie near each other */
};

/* What an instance is made for. */
typedef struct thin_form {
  size_t steps;
  bool by_rows, has_bias, floats;
} thin_form;

typedef struct thin_strip {
  const uint8_t *a;
  const int8_t *b;
  const int32_t *add;
  const float *mult, *bias, *row_mult;
  uint8_t *bytes;
  float *floats;
} thin_strip;

TAREI_INLINE thin_strip thin_strip_at(const tarei_i8_gemm *g, size_t m0, size_t panel) {
  const tarei_epilogue *const e = &g->epilogue;
  const size_t col = panel * GEMM_PANEL;
  return (thin_strip){.a = g->a + m0 * g->lda,
                      .b = g->b + col * 4 * ((g->k + 3) / 4),
                      .add = g->add + col,
                      .mult = e->mult + col,
                      .bias = e->bias ? e->bias + col : NULL,
                      .row_mult = e->row_mult ? e->row_mult + m0 : NULL,
                      .bytes = e->out_u8 ? e->out_u8 + m0 * e->ld_u8 + col : NULL,
                      .floats = e->out_f32 ? e->out_f32 + m0 * e->ld_f32 + col : NULL};
}

/* Does every column of two panels allow rounding without bounds? Bias counts as part of a sum. */
TAREI_INLINE bool thin_is_tame(const thin_strip *s, v16 row_mult) {
  bool tame = true;
#pragma GCC unroll 4
  for (size_t q = 0; q < THIN_VECTORS; q += 2) {
    v16 whole[2];
#pragma GCC unroll 2
    for (size_t h = 0; h < 2; h++) {
      const size_t col = (q + h) * TAREI_LANES;
      const v16 bias = s->bias ? v_load(s->bias + col) : v_set1(0.0f);
      whole[h] = v_add(v_mul(v_abs(v_load(s->mult + col)), row_mult),
                       v_mul(v_abs(bias), v_set1(0x1p-31f)));
    }
    tame = tame && i8_is_tame(whole[0], whole[1]);
  }
  return tame;
}

TAREI_INLINE v16 thin_value(const thin_strip *s, const thin_form form, size_t row, size_t q,
                            __m512i sum) {
  v16 f = v_mul(i_to_float(sum), v_load(s->mult + q * TAREI_LANES));
  f = form.by_rows ? v_mul(f, v_set1(s->row_mult[row])) : f;
  return form.has_bias ? v_add(f, v_load(s->bias + q * TAREI_LANES)) : f;
}

/* What rounding to bytes needs. */
typedef struct thin_bytes {
  __m512i zero_point, low, high;
} thin_bytes;

TAREI_INLINE thin_bytes thin_bytes_of(const tarei_epilogue *e) {
  const byte_bounds bounds = has_byte_bounds(e) ? byte_bounds_of(e) : (byte_bounds){0, 255};
  return (thin_bytes){_mm512_set1_epi16((int16_t)e->zero_point), _mm512_set1_epi8((char)bounds.low),
                      _mm512_set1_epi8((char)bounds.high)};
}

TAREI_INLINE void thin_put(const thin_strip *s, const thin_form form, const tarei_epilogue *e,
                           size_t row, const __m512i *sums, const thin_bytes *b) {
  v16 f[THIN_VECTORS];
#pragma GCC unroll 4
  for (size_t q = 0; q < THIN_VECTORS; q++) {
    f[q] = thin_value(s, form, row, q, sums[q]);
    if (form.floats) {
      v_store(s->floats + row * e->ld_f32 + q * TAREI_LANES, f[q]);
    }
  }
  if (!form.floats) {
    const __m512i first =
        i8_words(_mm512_cvtps_epi32(f[0]), _mm512_cvtps_epi32(f[1]), b->zero_point);
    const __m512i second =
        i8_words(_mm512_cvtps_epi32(f[2]), _mm512_cvtps_epi32(f[3]), b->zero_point);
    const __m512i bytes = _mm512_max_epu8(i8_bytes(first, second), b->low);
    _mm512_storeu_si512(s->bytes + row * e->ld_u8, _mm512_min_epu8(bytes, b->high));
  }
}

TAREI_INLINE void thin_rows(const tarei_i8_gemm *g, size_t m0, size_t rows, size_t panel,
                            const thin_form form) {
  const thin_strip s = thin_strip_at(g, m0, panel);
  const tarei_epilogue e = g->epilogue;
  const size_t lda = g->lda;
  const thin_bytes bytes = thin_bytes_of(&e);
  __m512i w[THIN_MAX_STEPS * THIN_VECTORS];
#pragma GCC unroll 16
  for (size_t i = 0; i < form.steps * THIN_VECTORS; i++) {
    const size_t step = i / THIN_VECTORS, q = i % THIN_VECTORS;
    w[i] = _mm512_load_si512(s.b + ((q / 2 * form.steps + step) * 2 + q % 2) * 64);
  }
  for (size_t row = 0; row < rows; row++) {
    __m512i sums[THIN_VECTORS];
#pragma GCC unroll 4
    for (size_t q = 0; q < THIN_VECTORS; q++) {
      sums[q] = _mm512_loadu_si512(s.add + q * TAREI_LANES);
    }
#pragma GCC unroll 4
    for (size_t step = 0; step < form.steps; step++) {
      int32_t four;
      memcpy(&four, s.a + row * lda + 4 * step, sizeof four);
      const __m512i x = _mm512_set1_epi32(four);
#pragma GCC unroll 4
      for (size_t q = 0; q < THIN_VECTORS; q++) {
        I8_DOT(sums[q], x, w[step * THIN_VECTORS + q]);
      }
    }
    thin_put(&s, form, &e, row, sums, &bytes);
  }
}

typedef void thin_fn(const tarei_i8_gemm *g, size_t m0, size_t rows, size_t panel);

#define THIN_EACH(X, steps) \
  X(steps, 0, 0, 0)         \
  X(steps, 0, 0, 1)         \
  X(steps, 0, 1, 0)         \
  X(steps, 0, 1, 1) X(steps, 1, 0, 0) X(steps, 1, 0, 1) X(steps, 1, 1, 0) X(steps, 1, 1, 1)
#define THIN_EACH_FORM(X) THIN_EACH(X, 1) THIN_EACH(X, 2) THIN_EACH(X, 3) THIN_EACH(X, 4)
#define DEFINE_THIN(steps, by_rows, has_bias, floats)                                    \
  static void thin_##steps##by_rows##has_bias##floats(const tarei_i8_gemm *g, size_t m0, \
                                                      size_t rows, size_t panel) {       \
    thin_rows(g, m0, rows, panel, (thin_form){steps, by_rows, has_bias, floats});        \
  }
THIN_EACH_FORM(DEFINE_THIN)
#undef DEFINE_THIN
#define THIN_OF(steps, by_rows, has_bias, floats) \
  [steps - 1][by_rows][has_bias][floats] = thin_##steps##by_rows##has_bias##floats,
static thin_fn *const thin_by_form[THIN_MAX_STEPS][2][2][2] = {THIN_EACH_FORM(THIN_OF)};
#undef THIN_OF

/* One output, of plain values. */
static bool thin_fits(const tarei_i8_gemm *g) {
  const tarei_epilogue *const e = &g->epilogue;
  const bool bytes = e->out_u8 && !e->table && e->inv_scale == 1.0f && has_byte_bounds(e);
  return g->k <= 4 * THIN_MAX_STEPS && g->m >= THIN_ROWS / 2 && e->mult && !e->upper &&
         !e->residual && !e->residual_u8 &&
         (e->out_f32 ? !e->out_u8 && e->act == TAREI_ACT_none : bytes);
}

/* Multiplies all whole pairs of panels; false, and nothing done, where that takes another way. */
static bool thin_multiply(const tarei_i8_gemm *g, size_t panels, v16 row_mult) {
  const tarei_epilogue *const e = &g->epilogue;
  if (!thin_fits(g) || panels * GEMM_PANEL > g->n) {
    return false;
  }
  for (size_t panel = 0; e->out_u8 && panel < panels; panel += THIN_PANELS) {
    const thin_strip s = thin_strip_at(g, 0, panel);
    if (!thin_is_tame(&s, row_mult)) {
      return false;
    }
  }
  thin_fn *const run = thin_by_form[(g->k + 3) / 4 - 1][!!e->row_mult][!!e->bias][!!e->out_f32];
  for (size_t m0 = 0; m0 < g->m; m0 += THIN_ROWS) {
    const size_t rows = g->m - m0 < THIN_ROWS ? g->m - m0 : THIN_ROWS;
    for (size_t panel = 0; panel < panels; panel += THIN_PANELS) {
      run(g, m0, rows, panel);
    }
  }
  return true;
}

#endif
