/* Sums to float, the epilogue, and out; two rows at a time, whose four vectors of sums make one of
 * bytes. Instantiated once per ISA, which differ in how they look bytes up. */
#include <math.h>

#include "kernels/generic/act16.h"
#include "kernels/generic/gemm_walk.h"
#include "kernels/x86/byte_bounds.h"
#include "kernels/x86/i8_bytes.h"
#include "kernels/x86/i8_finish.h"
#include "kernels/x86/table64.h"

enum { HALF = TAREI_LANES };

/* One panel of the outputs. */
typedef struct area {
  size_t m0, rows, col, n;
} area;

TAREI_INLINE area area_of(const tarei_i8_gemm *g, size_t m0, size_t rows, size_t panel) {
  const size_t col = panel * GEMM_PANEL;
  return (area){m0, rows, col, g->n - col < GEMM_PANEL ? g->n - col : GEMM_PANEL};
}

TAREI_INLINE v16m lanes_of(const area *at, size_t h) {
  const uint32_t all = (uint32_t)((UINT64_C(1) << at->n) - 1);
  return (v16m)(all >> h * HALF);
}

/* --- bytes out -------------------------------------------------------------------------------- */
typedef struct sink {
  uint8_t *out; /* first row */
  size_t ld, n;
  __m512i zero_point; /* words */
  const uint8_t *table;
  table64 entries;
} sink;

TAREI_INLINE sink sink_of(const tarei_epilogue *e, const area *at) {
  sink s;
  s.out = e->out_u8 ? e->out_u8 + at->m0 * e->ld_u8 + at->col : NULL;
  s.ld = e->ld_u8;
  s.n = at->n;
  s.zero_point = _mm512_set1_epi16((int16_t)e->zero_point);
  s.table = e->table;
  s.entries = s.table ? table64_load(s.table) : (table64){{{0}}};
  return s;
}

TAREI_INLINE void put_row(const sink *s, size_t row, __m256i bytes) {
  uint8_t *const to = s->out + row * s->ld;
  if (s->n == GEMM_PANEL) {
    _mm256_storeu_si256((__m256i *)to, bytes);
  } else {
    _mm256_mask_storeu_epi8(to, (1u << s->n) - 1u, bytes);
  }
}

/* The second row may be missing. */
TAREI_INLINE void put_rows(const sink *s, size_t row, __m512i bytes, const bool both) {
  const __m512i out = s->table ? table64_at(&s->entries, bytes) : bytes;
  put_row(s, row, _mm512_castsi512_si256(out));
  if (both) {
    put_row(s, row + 1, _mm512_extracti64x4_epi64(out, 1));
  }
}

/* --- bytes alone ------------------------------------------------------------------------------ */
/* What follows the multipliers. */
typedef struct tail {
  bool bias, inv_scale;
} after_mult;

/* Where no sum can leave the integers on its way, saturation is left to the packing, and an
 * activation that only bounds its values becomes a bound of the bytes. */
typedef struct scaling {
  v16 mult[2], bias[2], inv_scale;
  const float *upper; /* first row, or NULL */
  size_t ld_upper;
  v16m lanes[2];
  bool has_bounds;
  __m512i low, high;
} scaling;

TAREI_INLINE bool is_bytes_alone(const tarei_epilogue *e) {
  return has_byte_bounds(e) && e->mult && !e->out_f32 && !e->residual && !e->residual_u8 &&
         e->inv_scale > 0;
}

TAREI_INLINE void set_bounds(scaling *s, const tarei_epilogue *e) {
  const byte_bounds bounds = byte_bounds_of(e);
  s->has_bounds = bounds.low > 0 || bounds.high < 255;
  s->low = _mm512_set1_epi8((char)bounds.low);
  s->high = _mm512_set1_epi8((char)bounds.high);
}

TAREI_INLINE scaling scaling_of(const tarei_epilogue *e, const area *at, const after_mult tail) {
  scaling s;
  for (size_t h = 0; h < 2; h++) {
    const size_t col = at->col + h * HALF;
    s.lanes[h] = lanes_of(at, h);
    s.mult[h] = _mm512_maskz_loadu_ps(s.lanes[h], e->mult + col);
    s.bias[h] = tail.bias ? _mm512_maskz_loadu_ps(s.lanes[h], e->bias + col) : v_set1(0.0f);
  }
  s.upper = e->upper ? e->upper + at->m0 * e->ld_upper + at->col : NULL;
  s.ld_upper = e->ld_upper;
  s.inv_scale = v_set1(e->inv_scale);
  set_bounds(&s, e);
  return s;
}

/* What is added to a sum, and what is added and multiplied after its multiplier, counts as part of
 * that. */
TAREI_INLINE v16 whole_mult(const scaling *s, size_t h, v16 row_mult) {
  const v16 bias = v_mul(v_abs(s->bias[h]), v_set1(0x1p-31f));
  const v16 inv_scale = v_max(v_set1(I8_LEAST_FACTOR), s->inv_scale);
  return v_mul(v_add(v_mul(v_abs(s->mult[h]), row_mult), bias), inv_scale);
}

TAREI_INLINE bool is_tame(const scaling *s, v16 row_mult, const after_mult tail) {
  return tail.bias || tail.inv_scale
             ? i8_is_tame(whole_mult(s, 0, row_mult), whole_mult(s, 1, row_mult))
             : i8_is_tame(v_mul(s->mult[0], row_mult), v_mul(s->mult[1], row_mult));
}

TAREI_INLINE v16 plus_upper(const float *upper, v16m lanes, v16 f) {
  return v_fma(_mm512_maskz_loadu_ps(lanes, upper), v_set1(256.0f), f);
}

/* `row_mult`: of all rows, or NULL. */
TAREI_INLINE __m512i tame_row(const scaling *c, const sink *s, const int32_t *sums, size_t row,
                              const float *const row_mult, const after_mult tail) {
  v16i rounded[2];
#pragma GCC unroll 2
  for (size_t h = 0; h < 2; h++) {
    v16 f = i_to_float(i_load(sums + row * GEMM_PANEL + h * HALF));
    f = c->upper ? plus_upper(c->upper + row * c->ld_upper + h * HALF, c->lanes[h], f) : f;
    f = v_mul(f, c->mult[h]);
    f = row_mult ? v_mul(f, v_set1(row_mult[row])) : f;
    f = tail.bias ? v_add(f, c->bias[h]) : f;
    f = tail.inv_scale ? v_mul(f, c->inv_scale) : f;
    rounded[h] = _mm512_cvtps_epi32(f);
  }
  return i8_words(rounded[0], rounded[1], s->zero_point);
}

TAREI_INLINE void put_bounded(const scaling *c, const sink *s, size_t row, __m512i bytes,
                              const bool both) {
  if (c->has_bounds) {
    bytes = _mm512_min_epu8(_mm512_max_epu8(bytes, c->low), c->high);
  }
  put_rows(s, row, bytes, both);
}

TAREI_INLINE void put_tame(const scaling *c, const sink *s, const int32_t *sums, size_t rows,
                           const float *const row_mult, const after_mult tail) {
  size_t i = 0;
  for (; i + 2 <= rows; i += 2) {
    const __m512i first = tame_row(c, s, sums, i, row_mult, tail);
    const __m512i second = tame_row(c, s, sums, i + 1, row_mult, tail);
    put_bounded(c, s, i, i8_bytes(first, second), true);
  }
  if (i < rows) {
    const __m512i last = tame_row(c, s, sums, i, row_mult, tail);
    put_bounded(c, s, i, i8_bytes(last, last), false);
  }
}

/* False, and nothing done, where a sum may be too large. */
TAREI_INLINE bool finish_tame(const tarei_epilogue *e, const int32_t *sums, const area *at,
                              const after_mult tail) {
  const scaling c = scaling_of(e, at, tail);
  const float *const row_mult = e->row_mult ? e->row_mult + at->m0 : NULL;
  const v16 most = v_mul(i8_most_row_mult(row_mult, at->rows), v_set1(e->upper ? 257.0f : 1.0f));
  if (!is_tame(&c, most, tail)) {
    return false;
  }
  const sink s = sink_of(e, at);
  if (row_mult) {
    put_tame(&c, &s, sums, at->rows, row_mult, tail);
  } else {
    put_tame(&c, &s, sums, at->rows, NULL, tail);
  }
  return true;
}

TAREI_INLINE bool finish_bytes(const tarei_epilogue *e, const int32_t *sums, const area *at) {
  if (e->inv_scale != 1.0f) {
    return e->bias ? finish_tame(e, sums, at, (after_mult){true, true})
                   : finish_tame(e, sums, at, (after_mult){false, true});
  }
  return e->bias ? finish_tame(e, sums, at, (after_mult){true, false})
                 : finish_tame(e, sums, at, (after_mult){false, false});
}

/* --- everything ------------------------------------------------------------------------------- */
typedef struct operands {
  v16 mult[2], bias[2];
  v16m lanes[2];
} operands;

TAREI_INLINE operands operands_of(const tarei_epilogue *e, const area *at) {
  operands o;
  for (size_t h = 0; h < 2; h++) {
    const size_t col = at->col + h * HALF;
    o.lanes[h] = lanes_of(at, h);
    o.mult[h] = e->mult ? _mm512_maskz_loadu_ps(o.lanes[h], e->mult + col) : v_set1(1.0f);
    o.bias[h] = e->bias ? _mm512_maskz_loadu_ps(o.lanes[h], e->bias + col) : v_set1(0.0f);
  }
  return o;
}

TAREI_INLINE v16 plus_residual(const tarei_epilogue *e, size_t row, size_t col, v16m lanes, v16 f) {
  if (e->residual) {
    f = v_add(f, _mm512_maskz_loadu_ps(lanes, e->residual + row * e->ld_residual + col));
  }
  if (e->residual_u8) {
    const uint8_t *const at = e->residual_u8 + row * e->ld_residual + col;
    const v16i r = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(lanes, at));
    const v16 centred = i_to_float(i_sub(r, i_set1(e->residual_zero_point)));
    f = v_add(f, v_mul(centred, v_set1(e->residual_scale)));
  }
  return f;
}

/* As requant.h; what is too small becomes the smallest integer, which packing takes to zero. */
TAREI_INLINE v16i round_any(const tarei_epilogue *e, v16 f) {
  const v16 scaled = v_mul(f, v_set1(e->inv_scale));
  const v16 bounded = v_min(v_set1((float)(255 - e->zero_point)), scaled);
  const v16m number = _mm512_cmp_ps_mask(scaled, scaled, _CMP_ORD_Q);
  return _mm512_maskz_cvtps_epi32(number, bounded);
}

TAREI_INLINE __m512i any_row(const tarei_epilogue *e, const operands *o, const sink *s,
                             const int32_t *sums, size_t row, size_t col, act16_fn *act) {
  const v16 a = v_set1(e->act_a);
  const v16 b = v_set1(e->act_b);
  v16i rounded[2];
#pragma GCC unroll 2
  for (size_t h = 0; h < 2; h++) {
    v16 f = i_to_float(i_load(sums + h * HALF));
    f = e->upper ? plus_upper(e->upper + row * e->ld_upper + col + h * HALF, o->lanes[h], f) : f;
    f = v_mul(f, o->mult[h]);
    f = e->row_mult ? v_mul(f, v_set1(e->row_mult[row])) : f;
    f = e->bias ? v_add(f, o->bias[h]) : f;
    f = e->act_last ? f : act(f, a, b);
    f = plus_residual(e, row, col + h * HALF, o->lanes[h], f);
    f = e->act_last ? act(f, a, b) : f;
    if (e->out_f32) {
      _mm512_mask_storeu_ps(e->out_f32 + row * e->ld_f32 + col + h * HALF, o->lanes[h], f);
    }
    rounded[h] = e->out_u8 ? round_any(e, f) : i_set1(0);
  }
  return i8_words(rounded[0], rounded[1], s->zero_point);
}

/* Row by row: two of them would need more registers than there are. */
TAREI_INLINE void finish_any(const tarei_i8_gemm *g, const int32_t *sums, const area *at,
                             act16_fn *act) {
  const tarei_epilogue e = g->epilogue; /* a copy: stores of bytes must not make it be read again */
  const operands o = operands_of(&e, at);
  const sink s = sink_of(&e, at);
  for (size_t i = 0; i < at->rows; i++) {
    const __m512i words = any_row(&e, &o, &s, sums + i * GEMM_PANEL, at->m0 + i, at->col, act);
    if (e.out_u8) {
      put_rows(&s, i, i8_bytes(words, words), false);
    }
  }
}

/* --- floats alone ----------------------------------------------------------------------------- */
/* Scaled sums, an activation, at most a residual of floats: without the tests for everything else
 * in each row, which take as long as the work. */
TAREI_INLINE bool is_scaled_floats(const tarei_epilogue *e) {
  return e->out_f32 && e->mult && !e->out_u8 && !e->upper && !e->residual_u8 && !e->act_last;
}

/* A missing bias is -0, which changes no float. */
TAREI_INLINE operands scaled_operands(const tarei_epilogue *e, const area *at) {
  operands o = operands_of(e, at);
  o.bias[0] = e->bias ? o.bias[0] : v_set1(-0.0f);
  o.bias[1] = e->bias ? o.bias[1] : v_set1(-0.0f);
  return o;
}

TAREI_INLINE void put_scaled(const tarei_epilogue *e, const int32_t *sums, const area *at,
                             act16_fn *act, const bool row_scales, const bool residual) {
  const operands o = scaled_operands(e, at);
  const v16 a = v_set1(e->act_a), b = v_set1(e->act_b);
  const size_t ld = e->ld_f32, ld_more = e->ld_residual, rows = at->rows;
  const float *const row_mult = row_scales ? e->row_mult + at->m0 : NULL;
  const float *more = residual ? e->residual + at->m0 * ld_more + at->col : NULL;
  float *out = e->out_f32 + at->m0 * ld + at->col;
  for (size_t i = 0; i < rows; i++) {
#pragma GCC unroll 2
    for (size_t h = 0; h < 2; h++) {
      v16 f = v_mul(i_to_float(i_load(sums + h * HALF)), o.mult[h]);
      f = row_scales ? v_mul(f, v_set1(row_mult[i])) : f;
      f = act(v_add(f, o.bias[h]), a, b);
      f = residual ? v_add(f, _mm512_maskz_loadu_ps(o.lanes[h], more + h * HALF)) : f;
      _mm512_mask_storeu_ps(out + h * HALF, o.lanes[h], f);
    }
    sums += GEMM_PANEL;
    out += ld;
    more = residual ? more + ld_more : NULL;
  }
}

TAREI_INLINE void finish_scaled(const tarei_epilogue *e, const int32_t *sums, const area *at,
                                act16_fn *act) {
  if (e->row_mult && e->residual) {
    put_scaled(e, sums, at, act, true, true);
  } else if (e->row_mult) {
    put_scaled(e, sums, at, act, true, false);
  } else if (e->residual) {
    put_scaled(e, sums, at, act, false, true);
  } else {
    put_scaled(e, sums, at, act, false, false);
  }
}

/* The sums as floats and nothing else: attention's scores. */
TAREI_INLINE bool is_floats_alone(const tarei_epilogue *e) {
  return e->out_f32 && !e->out_u8 && !e->upper && !e->mult && !e->row_mult && !e->bias &&
         !e->residual && !e->residual_u8 && e->act == TAREI_ACT_none;
}

static void finish_floats(const tarei_epilogue *e, const int32_t *sums, const area *at) {
  const v16m first = lanes_of(at, 0), second = lanes_of(at, 1);
  const size_t ld = e->ld_f32;
  float *out = e->out_f32 + at->m0 * ld + at->col;
  for (size_t i = 0; i < at->rows; i++) {
    _mm512_mask_storeu_ps(out, first, i_to_float(i_load(sums)));
    _mm512_mask_storeu_ps(out + HALF, second, i_to_float(i_load(sums + HALF)));
    out += ld;
    sums += GEMM_PANEL;
  }
}

#define TAREI_ACTIVATION(id, expression)                                           \
  static void TAREI_K(i8_finish_##id)(const tarei_i8_gemm *g, const int32_t *sums, \
                                      const area *at) {                            \
    if (is_scaled_floats(&g->epilogue)) {                                          \
      finish_scaled(&g->epilogue, sums, at, act16_##id);                           \
    } else {                                                                       \
      finish_any(g, sums, at, act16_##id);                                         \
    }                                                                              \
  }
#include "kernels/activations.inc"
#undef TAREI_ACTIVATION

typedef void finish_fn(const tarei_i8_gemm *g, const int32_t *sums, const area *at);
static finish_fn *const finish_by_act[TAREI_ACT_COUNT] = {
#define TAREI_ACTIVATION(id, expression) TAREI_K(i8_finish_##id),
#include "kernels/activations.inc"
#undef TAREI_ACTIVATION
};

void TAREI_K(tarei_i8_finish)(const tarei_i8_gemm *g, const int32_t *sums, size_t m0, size_t rows,
                              size_t panel) {
  const tarei_epilogue *const e = &g->epilogue;
  const area at = area_of(g, m0, rows, panel);
  if (is_bytes_alone(e) && finish_bytes(e, sums, &at)) {
    return;
  }
  if (is_floats_alone(e)) {
    finish_floats(e, sums, &at);
    return;
  }
  finish_by_act[e->act](g, sums, &at);
}
