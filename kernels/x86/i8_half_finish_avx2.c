/* What is most frequent goes straight to its output: multiplied, with bias and residual, and
 * rounded to bytes within bounds or stored as floats. The epilogue of floats does the rest. A
 * missing factor is 1 and a missing bias -0, which change no float. `whole` below: all vectors are
 * full. */
#if !defined(__AVX2__)
#error "needs AVX2"
#endif
#include "kernels/x86/i8_finish.h"

#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "kernels/generic/gemm_walk.h"
#include "kernels/generic/v16.h"

enum { HALF_LANES = 8, HALF_VECTORS = GEMM_PANEL / HALF_LANES };

#define HALF_MOST_PRODUCT 32640.0f /* 255 * 128 */
/* Factors count as this at least, so that no product before them becomes infinite. */
#define HALF_LEAST_FACTOR 0x1p-45f

/* Those of vector v. */
TAREI_INLINE __m256i half_mask(size_t columns, size_t v) {
  return mask8(columns, v * HALF_LANES);
}

TAREI_INLINE __m256 half_load(const float *p, size_t columns, size_t v, const bool whole) {
  p += v * HALF_LANES;
  return whole ? _mm256_loadu_ps(p) : _mm256_maskload_ps(p, half_mask(columns, v));
}

/* --- forms ------------------------------------------------------------------------------------ */
/* The largest factor of a row, 1 without them; NaN if they are not all finite. */
TAREI_INLINE float half_row_mult(const tarei_epilogue *e, size_t rows) {
  float most = e->row_mult ? HALF_LEAST_FACTOR : 1.0f;
  for (size_t m = 0; e->row_mult && m < rows; m++) {
    const float size = fabsf(e->row_mult[m]);
    if (!(size < INFINITY)) {
      return NAN;
    }
    most = size > most ? size : most;
  }
  return most;
}

/* Does no result come near the ends of the integers? Then rounding needs no bounds of its own,
 * because packing saturates. NaN does not pass. */
TAREI_INLINE bool half_is_tame(const half_source *s) {
  const tarei_epilogue *const e = s->epilogue;
  const __m256 top = _mm256_set1_ps(-0.0f), row_mult = _mm256_set1_ps(half_row_mult(e, s->m));
  const float scale = e->inv_scale > HALF_LEAST_FACTOR ? e->inv_scale : HALF_LEAST_FACTOR;
  __m256 wild = _mm256_setzero_ps();
  for (size_t n = 0; n < s->n; n += HALF_LANES) {
    const __m256i mask = mask8(s->n, n);
    const __m256 add = _mm256_cvtepi32_ps(_mm256_maskload_epi32(s->add + n, mask));
    const __m256 sum =
        _mm256_add_ps(_mm256_andnot_ps(top, add), _mm256_set1_ps((float)s->k * HALF_MOST_PRODUCT));
    const __m256 mult = _mm256_mul_ps(_mm256_maskload_ps(e->mult + n, mask), row_mult);
    __m256 most = _mm256_mul_ps(_mm256_andnot_ps(top, mult), sum);
    if (e->bias) {
      most = _mm256_add_ps(most, _mm256_andnot_ps(top, _mm256_maskload_ps(e->bias + n, mask)));
    }
    most = _mm256_mul_ps(most, _mm256_set1_ps(scale));
    wild = _mm256_or_ps(wild, _mm256_cmp_ps(most, _mm256_set1_ps(0x1p29f), _CMP_NLT_UQ));
  }
  return _mm256_movemask_ps(wild) == 0 &&
         (!e->residual_u8 || fabsf(e->residual_scale) * scale < 0x1p20f);
}

TAREI_INLINE bool half_fits_bytes(const half_source *s) {
  const tarei_epilogue *const e = s->epilogue;
  const bool act_ends = e->act == TAREI_ACT_none || e->act_last || !e->residual_u8;
  return !e->out_f32 && !e->residual && !e->table && e->inv_scale > 0 && has_byte_bounds(e) &&
         act_ends && half_is_tame(s);
}

/* Is the activation none, or one that bounds its values? */
TAREI_INLINE bool has_bounds(const tarei_epilogue *e) {
  return e->act == TAREI_ACT_none || e->act == TAREI_ACT_relu || e->act == TAREI_ACT_clip;
}

TAREI_INLINE half_form half_form_of(const half_source *s) {
  const tarei_epilogue *const e = s->epilogue;
  if (!e->mult || e->upper) {
    return HALF_ANY;
  }
  if (!e->out_u8 && !e->residual_u8 && has_bounds(e)) {
    return e->residual ? HALF_FLOATS_AND_RESIDUAL : HALF_FLOATS;
  }
  return !half_fits_bytes(s) ? HALF_ANY : e->residual_u8 ? HALF_BYTES_AND_RESIDUAL : HALF_BYTES;
}

half_product tarei_half_product__avx2(const half_source *s) {
  half_product p = {s->epilogue, s->n, half_form_of(s), {0, 255}};
  if (p.form == HALF_BYTES || p.form == HALF_BYTES_AND_RESIDUAL) {
    p.bounds = byte_bounds_of(s->epilogue);
  }
  return p;
}

/* --- outputs ---------------------------------------------------------------------------------- */
typedef struct half_factors {
  const float *mult, *bias, *rows;
  size_t row_step;
} half_factors;

TAREI_INLINE half_factors half_factors_of(const half_tile *t) {
  static const float no_factor = 1.0f;
  const tarei_epilogue *const e = t->product->epilogue;
  return (half_factors){.mult = e->mult + t->n0,
                        .bias = e->bias ? e->bias + t->n0 : NULL,
                        .rows = e->row_mult ? e->row_mult + t->m0 : &no_factor,
                        .row_step = e->row_mult ? 1 : 0};
}

TAREI_INLINE __m256 half_value(const half_tile *t, const half_factors *s, size_t i, size_t v,
                               const bool whole) {
  const int32_t *const sums = t->sums + i * GEMM_PANEL + v * HALF_LANES;
  const __m256 sum = _mm256_cvtepi32_ps(_mm256_loadu_si256((const __m256i *)sums));
  const __m256 f = _mm256_mul_ps(sum, half_load(s->mult, t->columns, v, whole));
  const __m256 bias = s->bias ? half_load(s->bias, t->columns, v, whole) : _mm256_set1_ps(-0.0f);
  return _mm256_add_ps(_mm256_mul_ps(f, _mm256_set1_ps(s->rows[i * s->row_step])), bias);
}

TAREI_INLINE void half_store_bytes(uint8_t *to, __m256i bytes, size_t n) {
  uint8_t all[GEMM_PANEL];
  if (n == GEMM_PANEL) {
    _mm256_storeu_si256((__m256i *)to, bytes);
  } else if (n == GEMM_PANEL / 2) {
    _mm_storeu_si128((__m128i *)to, _mm256_castsi256_si128(bytes));
  } else {
    _mm256_storeu_si256((__m256i *)all, bytes);
    copy_ends(to, all, n);
  }
}

/* Of a row as integers: their bytes in order. */
TAREI_INLINE __m256i half_bytes_of(const __m256i *v, const size_t vectors, __m256i zero_point) {
  const __m256i last = v[vectors - 1];
  const __m256i first =
      _mm256_adds_epi16(_mm256_packs_epi32(v[0], vectors > 1 ? v[1] : last), zero_point);
  const __m256i second =
      vectors > 2
          ? _mm256_adds_epi16(_mm256_packs_epi32(v[2], vectors > 3 ? v[3] : last), zero_point)
          : first;
  return in_order(_mm256_packus_epi16(first, second));
}

/* What a residual of bytes adds to the vectors of a row. */
TAREI_INLINE void half_add_residual(const half_tile *t, size_t i, const size_t vectors,
                                    const bool whole, __m256 *f) {
  const tarei_epilogue *const e = t->product->epilogue;
  const uint8_t *row = e->residual_u8 + (t->m0 + i) * e->ld_residual + t->n0;
  uint8_t part[GEMM_PANEL];
  if (!whole) {
    memcpy(part, row, t->columns);
    row = part;
  }
#pragma GCC unroll 4
  for (size_t v = 0; v < vectors; v++) {
    const __m128i bytes = _mm_loadl_epi64((const __m128i *)(row + v * HALF_LANES));
    const __m256i centred =
        _mm256_sub_epi32(_mm256_cvtepu8_epi32(bytes), _mm256_set1_epi32(e->residual_zero_point));
    f[v] = _mm256_add_ps(
        f[v], _mm256_mul_ps(_mm256_cvtepi32_ps(centred), _mm256_set1_ps(e->residual_scale)));
  }
}

TAREI_INLINE void half_put_bytes(const half_tile *t, const size_t vectors, const bool whole,
                                 const bool residual) {
  const half_product *const p = t->product;
  /* a copy: stores of bytes must not make it be read again */
  const tarei_epilogue e = *p->epilogue;
  const half_tile tile = *t;
  const half_factors s = half_factors_of(&tile);
  const __m256i zero_point = _mm256_set1_epi16((int16_t)e.zero_point);
  const __m256i low = _mm256_set1_epi8((char)p->bounds.low);
  const __m256i high = _mm256_set1_epi8((char)p->bounds.high);
  const __m256 inv_scale = _mm256_set1_ps(e.inv_scale);
  uint8_t *to = e.out_u8 + tile.m0 * e.ld_u8 + tile.n0;
  for (size_t i = 0; i < tile.rows; i++) {
    __m256 f[HALF_VECTORS];
    __m256i rounded[HALF_VECTORS];
#pragma GCC unroll 4
    for (size_t v = 0; v < vectors; v++) {
      f[v] = half_value(&tile, &s, i, v, whole);
    }
    if (residual) {
      half_add_residual(&tile, i, vectors, whole, f);
    }
#pragma GCC unroll 4
    for (size_t v = 0; v < vectors; v++) {
      rounded[v] = _mm256_cvtps_epi32(_mm256_mul_ps(f[v], inv_scale));
    }
    const __m256i bytes = half_bytes_of(rounded, vectors, zero_point);
    half_store_bytes(to, _mm256_min_epu8(_mm256_max_epu8(bytes, low), high), tile.columns);
    to += e.ld_u8;
  }
}

/* min(high, max(low, x)), which lets NaN through. */
typedef struct half_bounds {
  float low, high;
} half_bounds;

TAREI_INLINE half_bounds half_bounds_of(const tarei_epilogue *e) {
  return e->act == TAREI_ACT_clip
             ? (half_bounds){e->act_a, e->act_b}
             : (half_bounds){e->act == TAREI_ACT_relu ? 0.0f : -INFINITY, INFINITY};
}

TAREI_INLINE __m256 half_bounded(half_bounds b, __m256 x) {
  return _mm256_min_ps(_mm256_set1_ps(b.high), _mm256_max_ps(_mm256_set1_ps(b.low), x));
}

TAREI_INLINE void half_put_floats(const half_tile *t, const size_t vectors, const bool whole,
                                  const bool residual) {
  const tarei_epilogue e = *t->product->epilogue;
  const half_tile tile = *t;
  const half_factors s = half_factors_of(&tile);
  const half_bounds bounds = half_bounds_of(&e), none = {-INFINITY, INFINITY};
  const bool act_ends = residual && e.act_last;
  const half_bounds act = act_ends ? none : bounds, last = act_ends ? bounds : none;
  for (size_t i = 0; i < tile.rows; i++) {
    const size_t row = tile.m0 + i;
    float *const to = e.out_f32 + row * e.ld_f32 + tile.n0;
    const float *const more = residual ? e.residual + row * e.ld_residual + tile.n0 : NULL;
#pragma GCC unroll 4
    for (size_t v = 0; v < vectors; v++) {
      __m256 f = half_bounded(act, half_value(&tile, &s, i, v, whole));
      if (residual) {
        f = half_bounded(last, _mm256_add_ps(f, half_load(more, tile.columns, v, whole)));
      }
      if (whole) {
        _mm256_storeu_ps(to + v * HALF_LANES, f);
      } else if (v * HALF_LANES < tile.columns) {
        store8_part(to + v * HALF_LANES, tile.columns - v * HALF_LANES, f);
      }
    }
  }
}

/* --- the epilogue of floats ------------------------------------------------------------------- */
TAREI_INLINE void half_put_any(const half_tile *t) {
  _Alignas(64) float values[HALF_MOST_ROWS * GEMM_PANEL];
  for (size_t i = 0; i < t->rows * GEMM_PANEL; i += HALF_LANES) {
    const __m256i sum = _mm256_load_si256((const __m256i *)(t->sums + i));
    _mm256_store_ps(values + i, _mm256_cvtepi32_ps(sum));
  }
  const tarei_tile done = gemm_tile(values, t->m0, t->rows, t->product->n, t->n0 / GEMM_PANEL);
  tarei_epilogue__avx2(t->product->epilogue, &done);
}

TAREI_INLINE void half_put(const half_tile *t, const size_t vectors, const bool whole) {
  switch (t->product->form) {
    case HALF_BYTES:
      half_put_bytes(t, vectors, whole, false);
      return;
    case HALF_BYTES_AND_RESIDUAL:
      half_put_bytes(t, vectors, whole, true);
      return;
    case HALF_FLOATS:
      half_put_floats(t, vectors, whole, false);
      return;
    case HALF_FLOATS_AND_RESIDUAL:
      half_put_floats(t, vectors, whole, true);
      return;
    case HALF_ANY:
      half_put_any(t);
      return;
  }
}

void tarei_half_finish__avx2(const half_tile *t) {
  switch (t->columns) {
    case 4 * HALF_LANES:
      half_put(t, 4, true);
      return;
    case 3 * HALF_LANES:
      half_put(t, 3, true);
      return;
    case 2 * HALF_LANES:
      half_put(t, 2, true);
      return;
    case HALF_LANES:
      half_put(t, 1, true);
      return;
    default:
      half_put(t, HALF_VECTORS, false);
  }
}
