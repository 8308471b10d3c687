/* What becomes of the sums of a stripe. Where all that follows is a factor, a bias, bounds and
 * rounding to u8, which is nearly always, that happens in registers with the bits of the epilogue;
 * everything else goes through the epilogue. */
#ifndef TAREI_KERNELS_X86_DEPTHWISE_DW_I8_FINISH_H
#define TAREI_KERNELS_X86_DEPTHWISE_DW_I8_FINISH_H

#include "kernels/x86/byte_bounds.h"
#include "kernels/x86/depthwise/dw_i8_stripe.h"

enum {
  DW_QUAD = 4,         /* outputs whose bytes share a vector */
  DW_FINISH_ROWS = 20, /* outputs at once, at most */
};

typedef struct dw_finisher {
  const tarei_epilogue *epilogue;
  bool quick;
  byte_bounds bounds;
  __m512 mult[DW_VECTORS], bias[DW_VECTORS];
} dw_finisher;

/* Where results go: rows of the epilogue. */
typedef struct dw_rows {
  size_t out, step, n;
} dw_rows;

/* Can no value leave the range of int32 or be NaN? `reach` bounds what the taps add to a sum. */
static bool dw_is_tame(const dw_finisher *f, const __m512i *add, size_t vectors, float reach) {
  __mmask16 tame = 0xffff;
  for (size_t v = 0; v < vectors; v++) {
    const __m512 most =
        _mm512_add_ps(_mm512_abs_ps(_mm512_cvtepi32_ps(add[v])), _mm512_set1_ps(reach));
    const __m512 value =
        _mm512_add_ps(_mm512_mul_ps(most, _mm512_abs_ps(f->mult[v])), _mm512_abs_ps(f->bias[v]));
    const __m512 scaled = _mm512_mul_ps(value, _mm512_set1_ps(f->epilogue->inv_scale));
    tame &= _mm512_cmp_ps_mask(value, _mm512_set1_ps(1 << 30), _CMP_LT_OQ) &
            _mm512_cmp_ps_mask(scaled, _mm512_set1_ps(1 << 30), _CMP_LT_OQ);
  }
  return tame == 0xffff;
}

static void dw_finisher_init(dw_finisher *f, const tarei_epilogue *e, int64_t taps,
                             const dw_stripe *s, const __m512i *add) {
  const bool plain = !e->upper && !e->out_f32 && !e->row_mult && !e->residual && !e->residual_u8 &&
                     !e->table && e->inv_scale > 0 && has_byte_bounds(e);
  f->epilogue = e;
  f->bounds = byte_bounds_of(e);
  for (size_t v = 0; v < s->vectors; v++) {
    f->mult[v] =
        e->mult ? _mm512_castsi512_ps(dw_per_channel(s, v, e->mult)) : _mm512_set1_ps(1.0f);
    f->bias[v] = e->bias ? _mm512_castsi512_ps(dw_per_channel(s, v, e->bias)) : _mm512_setzero_ps();
  }
  f->quick = plain && dw_is_tame(f, add, s->vectors, 255.0f * 128.0f * (float)taps);
}

/* --- in registers ----------------------------------------------------------------------------- */
/* What one vector needs. */
typedef struct dw_scaling {
  __m512 mult, bias, inv_scale;
  __m512i zero_point; /* in 16 bits */
} dw_scaling;

/* Forms that need fewer instructions: the scale of the output in the factor, no bias, and a zero
 * point of 128 besides. */
typedef enum dw_form { DW_FORM_ANY, DW_FORM_FOLDED, DW_FORM_UNBIASED, DW_FORM_CENTRED } dw_form;

TAREI_INLINE __m512i dw_rounded(const dw_scaling *k, __m512i sum, const dw_form form) {
  __m512 value = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), k->mult);
  value = form == DW_FORM_ANY || form == DW_FORM_FOLDED ? _mm512_add_ps(value, k->bias) : value;
  return _mm512_cvtps_epi32(form == DW_FORM_ANY ? _mm512_mul_ps(value, k->inv_scale) : value);
}

/* Four outputs of a vector become one vector: each lane holds a dword of each output. Saturating to
 * 16 bits first changes nothing. */
TAREI_INLINE __m512i dw_quad(const dw_scaling *k, const __m512i *sum, const dw_form form) {
  const __m512i first =
      _mm512_packs_epi32(dw_rounded(k, sum[0], form), dw_rounded(k, sum[1], form));
  const __m512i second =
      _mm512_packs_epi32(dw_rounded(k, sum[2], form), dw_rounded(k, sum[3], form));
  if (form == DW_FORM_CENTRED) {
    return _mm512_xor_si512(_mm512_packs_epi16(first, second), _mm512_set1_epi8((char)128));
  }
  return _mm512_packus_epi16(_mm512_adds_epi16(first, k->zero_point),
                             _mm512_adds_epi16(second, k->zero_point));
}

TAREI_INLINE void dw_quads(const dw_scaling *k, const __m512i *sum, const size_t rows,
                           __m512i *quads, const dw_form form) {
#pragma GCC unroll 5
  for (size_t i = 0; i < rows; i += DW_QUAD) {
    quads[i / DW_QUAD * DW_VECTORS] = dw_quad(k, sum + i, form);
  }
}

/* Outputs of vector v; their quads are DW_VECTORS apart. */
TAREI_INLINE void dw_finish_quads(const dw_finisher *f, size_t v, const __m512i *sum,
                                  const size_t rows, __m512i *quads) {
  const int32_t zero_point = f->epilogue->zero_point;
  const float inv_scale = f->epilogue->inv_scale;
  const dw_scaling k = {f->mult[v], f->bias[v], _mm512_set1_ps(inv_scale),
                        _mm512_set1_epi16((int16_t)zero_point)};
  if (inv_scale != 1.0f) {
    dw_quads(&k, sum, rows, quads, DW_FORM_ANY);
  } else if (f->epilogue->bias) {
    dw_quads(&k, sum, rows, quads, DW_FORM_FOLDED);
  } else if (zero_point == 128) {
    dw_quads(&k, sum, rows, quads, DW_FORM_CENTRED);
  } else {
    dw_quads(&k, sum, rows, quads, DW_FORM_UNBIASED);
  }
}

/* The vectors of a quad become one of each output, with its channels in order. */
TAREI_INLINE void dw_unpermute_quad(const dw_stripe *s, const __m512i *quad, __m512i *row) {
  const __m512i low01 = _mm512_unpacklo_epi32(quad[0], quad[1]);
  const __m512i high01 = _mm512_unpackhi_epi32(quad[0], quad[1]);
  if (dw_is_narrow(s)) {
    const __m512i even_first = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    const __m512i odd_first = _mm512_setr_epi64(1, 3, 5, 7, 0, 2, 4, 6);
    row[0] = _mm512_permutexvar_epi64(even_first, low01);
    row[1] = _mm512_permutexvar_epi64(odd_first, low01);
    row[2] = _mm512_permutexvar_epi64(even_first, high01);
    row[3] = _mm512_permutexvar_epi64(odd_first, high01);
    return;
  }
  const __m512i low23 = _mm512_unpacklo_epi32(quad[2], quad[3]);
  const __m512i high23 = _mm512_unpackhi_epi32(quad[2], quad[3]);
  row[0] = _mm512_unpacklo_epi64(low01, low23);
  row[1] = _mm512_unpackhi_epi64(low01, low23);
  row[2] = _mm512_unpacklo_epi64(high01, high23);
  row[3] = _mm512_unpackhi_epi64(high01, high23);
}

static void dw_store_quads(const dw_finisher *f, const dw_stripe *s, const __m512i *quads,
                           const dw_rows *rows) {
  const tarei_epilogue *const e = f->epilogue;
  const __m512i low = _mm512_set1_epi8((char)f->bounds.low),
                high = _mm512_set1_epi8((char)f->bounds.high);
  const dw_stripe stripe = *s; /* stores to the output do not change it */
  const size_t ld = rows->step * e->ld_u8, n = rows->n;
  uint8_t *to = e->out_u8 + rows->out * e->ld_u8 + s->channel;
  for (size_t i = 0; i < n; i += DW_QUAD) {
    __m512i row[DW_QUAD];
    dw_unpermute_quad(&stripe, quads + i / DW_QUAD * DW_VECTORS, row);
#pragma GCC unroll 4
    for (size_t k = 0; k < DW_QUAD; k++) {
      if (i + k < n) {
        const __m512i bytes = _mm512_min_epu8(_mm512_max_epu8(row[k], low), high);
        _mm512_mask_storeu_epi8(to + (i + k) * ld, stripe.mask, bytes);
      }
    }
  }
}

/* --- by the epilogue -------------------------------------------------------------------------- */
/* Floats in the order of the channels. */
static void dw_unpermute(const dw_stripe *s, const __m512i *sums, float *to) {
  const size_t lane = (dw_is_narrow(s) ? DW_NARROW : DW_STRIPE) / 4;
  for (size_t v = 0; v < s->vectors; v++) {
    const __m512 values = _mm512_cvtepi32_ps(sums[v]);
    float *const at = to + v * DW_TAPS;
    _mm_storeu_ps(at, _mm512_castps512_ps128(values));
    _mm_storeu_ps(at + lane, _mm512_extractf32x4_ps(values, 1));
    _mm_storeu_ps(at + 2 * lane, _mm512_extractf32x4_ps(values, 2));
    _mm_storeu_ps(at + 3 * lane, _mm512_extractf32x4_ps(values, 3));
  }
}

/* Sums are DW_VECTORS to a row. */
static void dw_finish_by_epilogue(const dw_finisher *f, const dw_stripe *s, const __m512i *sums,
                                  const dw_rows *rows) {
  _Alignas(64) float values[DW_FINISH_ROWS][DW_STRIPE];
  for (size_t i = 0; i < rows->n; i++) {
    dw_unpermute(s, sums + i * DW_VECTORS, values[i]);
  }
  const size_t at_once = rows->step == 1 ? rows->n : 1;
  for (size_t i = 0; i < rows->n; i += at_once) {
    const tarei_tile done = {.values = values[i],
                             .ld = DW_STRIPE,
                             .m0 = rows->out + i * rows->step,
                             .rows = at_once,
                             .n0 = s->channel,
                             .cols = s->channels};
    tarei_epilogue__avx512(f->epilogue, &done);
  }
}

#endif
