/* Softmax of rows of scaled and masked logits, and as numbers that its readers divide by their sum;
 * its logarithm.
 * Instantiated once per ISA. */
#include <math.h>

#include "kernels/generic/amax16.h"
#include "kernels/generic/round_bf16.h"
#include "kernels/generic/row_sink.h"
#include "kernels/libm.h"

/* x * scale + mask */
typedef struct logits {
  const float *x, *mask;
  v16 scale;
} logits;

TAREI_INLINE v16 logits_at(const logits *l, size_t i, size_t n) {
  const v16 x = v_load_n(l->x + i, n);
  return l->mask ? v_fma(x, l->scale, v_load_n(l->mask + i, n)) : v_mul(x, l->scale);
}

/* How far the logits lie below `top`. Logits round by themselves first, so that without a mask they
 * are those of a mask of zeros, which is what the valid part of a padded row has. */
TAREI_INLINE v16 logits_below(const logits *l, v16 top, size_t i, size_t n) {
  return v_sub(top, logits_at(l, i, n));
}

TAREI_INLINE float logits_max_of(const logits *l, size_t n) {
  v16 best[CHAINS];
  for (int c = 0; c < CHAINS; c++) {
    best[c] = v_set1(-INFINITY);
  }
  size_t i = 0;
  for (; i + CHAINED <= n; i += CHAINED) {
#pragma GCC unroll 4
    for (int c = 0; c < CHAINS; c++) {
      best[c] = v_max(logits_at(l, i + (size_t)c * TAREI_LANES, TAREI_LANES), best[c]);
    }
  }
  for (; i < n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, n);
    best[0] = v_max(v_fill(logits_at(l, i, left), left, -INFINITY), best[0]);
  }
  return v_reduce_max(v_max(v_max(best[0], best[1]), v_max(best[2], best[3])));
}

/* Rounding keeps the order: the largest product is that of the largest factor. */
TAREI_INLINE float logits_max(const logits *l, float scale, size_t n) {
  return l->mask || !(scale > 0) ? logits_max_of(l, n) : largest_element(l->x, n) * scale;
}

TAREI_INLINE v16 logits_exp(const logits *l, v16 top, size_t i, size_t n, float *keep) {
  const v16 e = v_fill(v_exp_minus(logits_below(l, top, i, n)), n, 0.0f);
  if (keep) {
    v_store_n(keep + i, e, n);
  }
  return e;
}

/* Sum of exp(logit - top); the exponentials are kept in `keep` unless it is NULL. */
static float TAREI_K(logits_exp_sum)(const logits *logits_of, size_t n, float max, float *keep) {
  const logits l = *logits_of; /* a copy: stores through `keep` must not make it be read again */
  const v16 top = v_set1(max);
  v16 sum = v_set1(0.0f);
  size_t i = 0;
  for (; i + TAREI_LANES <= n; i += TAREI_LANES) {
    sum = v_add(sum, logits_exp(&l, top, i, TAREI_LANES, keep));
  }
  return v_sum(i < n ? v_add(sum, logits_exp(&l, top, i, n - i, keep)) : sum);
}

/* Without float output there is no room to keep the exponentials: they are computed again. */
static void TAREI_K(softmax_row)(const logits *logits_of, float scale, size_t n,
                                 const row_sink *sink_of) {
  const logits l = *logits_of;
  const row_sink sink = *sink_of;
  const float max = logits_max(&l, scale, n);
  const v16 inverse = v_set1(1.0f / TAREI_K(logits_exp_sum)(&l, n, max, sink.out_f32));
  for (size_t i = 0; i < n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, n);
    const v16 e = sink.out_f32 ? v_load_n(sink.out_f32 + i, left)
                               : logits_exp(&l, v_set1(max), i, left, NULL);
    row_put(&sink, i, v_mul(e, inverse), left);
  }
}

void TAREI_K(tarei_k_softmax_fused_f32u8_16)(const float *x, float scale, const float *mask,
                                             size_t n, float *out_f32, uint8_t *out_u8,
                                             float inv_scale, int32_t zero_point) {
  const logits l = {x, mask, v_set1(scale)};
  const row_sink sink = {out_f32, out_u8, quantizer_for(inv_scale, zero_point)};
  TAREI_K(softmax_row)(&l, scale, n, &sink);
}

/* 255 e^-below + carry; 0 + carry for NaN. Bytes ask for no more than a cubic. */
TAREI_INLINE v16 exp_255(v16 below, v16 carry) {
  const v16 magic = v_set1(ROUND_MAGIC + 127.0f);
  const v16 bounded = v_min(below, v_set1(88.03f)); /* 2^-127, whose exponent makes it zero */
  const v16 shifted = v_fma(bounded, v_set1(-LOG2_E), magic);
  const v16 r = v_fma(bounded, v_set1(-LOG2_E), v_sub(magic, shifted));
  v16 p = v_fma(v_set1(255.0f * 0.0551716685f), r, v_set1(255.0f * 0.242611125f));
  p = v_fma(p, r, v_set1(255.0f * 0.693260968f));
  p = v_fma(p, r, v_set1(255.0f * 0.999928057f));
  return v_fma(p, v_exponent(shifted), carry);
}

/* A row on its way to bytes. What rounding takes from a lane's byte is added to its next one, so
 * that many small exponentials together keep their share. */
typedef struct exp_row {
  logits l;
  v16 top, carry;
  v16i sum;
  uint8_t *out;
} exp_row;

/* Lanes that are infinitely far below the top change nothing. */
TAREI_INLINE v16i exp_row_bytes(exp_row *row, v16 below) {
  const v16 e = exp_255(below, row->carry);
  const v16 rounded = v_add(e, v_set1(ROUND_MAGIC));
  const v16i bytes = i_sub(v_bits(rounded), i_set1(ROUND_MAGIC_BITS));
  row->carry = v_sub(e, v_sub(rounded, v_set1(ROUND_MAGIC)));
  row->sum = i_add(row->sum, bytes);
  return bytes;
}

/* Bytes of exp(logit - top) of `rows` rows: each waits for its carry, several fill the time. */
TAREI_INLINE void exp_rows(exp_row *row, const size_t rows, size_t n) {
  size_t i = 0;
  for (; i + TAREI_LANES <= n; i += TAREI_LANES) {
#pragma GCC unroll 4
    for (size_t r = 0; r < rows; r++) {
      const v16 below = logits_below(&row[r].l, row[r].top, i, TAREI_LANES);
      i_store_u8(row[r].out + i, exp_row_bytes(&row[r], below));
    }
  }
  for (size_t r = 0; i < n && r < rows; r++) {
    const v16 below = logits_below(&row[r].l, row[r].top, i, n - i);
    const v16 filled = v_fill(below, n - i, INFINITY);
    i_store_u8_part(row[r].out + i, exp_row_bytes(&row[r], filled), n - i);
  }
}

TAREI_INLINE logits logits_of_row(const tarei_logits *s, size_t r, const bool masked) {
  return (logits){s->x + r * s->ldx, masked ? s->mask + r * s->mask_step : NULL, v_set1(s->scale)};
}

/* The largest of several rows first: their exponentials would wait for it and hold up the next. */
enum { TOPS = 16, TOGETHER = 4 };

TAREI_INLINE void logits_tops(const tarei_logits *s, size_t first, size_t rows, const bool masked,
                              float *tops) {
  for (size_t r = 0; r < rows; r++) {
    const logits l = logits_of_row(s, first + r, masked);
    tops[r] = logits_max(&l, s->scale, s->n);
  }
}

/* Rows [first, first + rows), whose largest logits are `tops`. */
TAREI_INLINE void softmax_u8_some(const tarei_softmax_u8 *s, size_t first, const size_t rows,
                                  const bool masked, const float *tops) {
  exp_row row[TOGETHER];
  for (size_t r = 0; r < rows; r++) {
    row[r] = (exp_row){.l = logits_of_row(&s->logits, first + r, masked),
                       .top = v_set1(tops[r]),
                       .carry = v_set1(0.0f),
                       .sum = i_set1(0),
                       .out = s->out + (first + r) * s->ld_out};
  }
  exp_rows(row, rows, s->logits.n);
  for (size_t r = 0; r < rows; r++) {
    s->sums[first + r] = (uint32_t)i_sum(row[r].sum);
  }
}

TAREI_INLINE void softmax_u8_rows(const tarei_softmax_u8 *s, size_t first, size_t rows,
                                  const bool masked) {
  float tops[TOPS];
  logits_tops(&s->logits, first, rows, masked, tops);
  size_t r = 0;
  for (; r + TOGETHER <= rows; r += TOGETHER) {
    softmax_u8_some(s, first + r, TOGETHER, masked, tops + r);
  }
  for (; r < rows; r++) {
    softmax_u8_some(s, first + r, 1, masked, tops + r);
  }
}

void TAREI_K(tarei_k_softmax_u8_f32u8_16)(const tarei_softmax_u8 *given) {
  const tarei_softmax_u8 s = *given; /* a copy: stores of bytes must not make it be read again */
  for (size_t r = 0; r < s.logits.m; r += TOPS) {
    const size_t rows = s.logits.m - r < TOPS ? s.logits.m - r : TOPS;
    if (s.logits.mask) {
      softmax_u8_rows(&s, r, rows, true);
    } else {
      softmax_u8_rows(&s, r, rows, false);
    }
  }
}

/* bfloat16 of exp(logit - top); the sum of what they are. */
TAREI_INLINE float exp_bf16(const logits *l, v16 top, size_t n, uint16_t *out) {
  v16 sum = v_set1(0.0f);
  size_t i = 0;
  for (; i + CHAINED <= n; i += CHAINED) {
    v16i e[CHAINS];
#pragma GCC unroll 4
    for (int c = 0; c < CHAINS; c++) {
      const size_t at = i + (size_t)c * TAREI_LANES;
      e[c] = v_positive_to_bf16(v_exp_minus(logits_below(l, top, at, TAREI_LANES)));
      i_store_u16(out + at, e[c]);
    }
#pragma GCC unroll 4
    for (int c = 0; c < CHAINS; c++) {
      sum = v_add(sum, v_of_bf16(e[c]));
    }
  }
  for (; i < n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, n);
    const v16i e = v_positive_to_bf16(logits_exp(l, top, i, left, NULL));
    sum = v_add(sum, v_of_bf16(e));
    i_store_bf16_part(out + i, e, left);
  }
  return v_sum(sum);
}

TAREI_INLINE void softmax_bf16_rows(const tarei_softmax_bf16 *s, size_t first, size_t rows,
                                    const bool masked) {
  float tops[TOPS];
  logits_tops(&s->logits, first, rows, masked, tops);
  for (size_t r = 0; r < rows; r++) {
    const logits l = logits_of_row(&s->logits, first + r, masked);
    s->sums[first + r] =
        exp_bf16(&l, v_set1(tops[r]), s->logits.n, s->out + (first + r) * s->ld_out);
  }
}

void TAREI_K(tarei_k_softmax_bf16_f32bf16_16)(const tarei_softmax_bf16 *given) {
  const tarei_softmax_bf16 s = *given;
  for (size_t r = 0; r < s.logits.m; r += TOPS) {
    const size_t rows = s.logits.m - r < TOPS ? s.logits.m - r : TOPS;
    if (s.logits.mask) {
      softmax_bf16_rows(&s, r, rows, true);
    } else {
      softmax_bf16_rows(&s, r, rows, false);
    }
  }
}

void TAREI_K(tarei_k_log_softmax_f32_16)(const float *x, size_t n, float *out) {
  const logits l = {x, NULL, v_set1(1.0f)};
  const float max = logits_max(&l, 1.0f, n);
  const v16 log_sum = v_set1(tarei_libm_log(TAREI_K(logits_exp_sum)(&l, n, max, NULL)));
  for (size_t i = 0; i < n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, n);
    v_store_n(out + i, v_sub(v_sub(v_load_n(x + i, left), v_set1(max)), log_sum), left);
  }
}
