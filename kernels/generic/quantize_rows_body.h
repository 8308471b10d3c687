/* Rows to bytes, each by its own largest magnitude. Instantiated once per ISA. */
#include <string.h>

#include "kernels/generic/row_bytes16.h"

enum { MOST_PIECES = 4 };

static float TAREI_K(quantize_rows_put_any)(const float *x, size_t n, uint8_t *out) {
  const float scale = row_scale_of(finite_amax(x, n));
  put_saturated(x, n, scale, out);
  return scale;
}

/* 0 where not all values are finite. */
TAREI_INLINE float scale_if_finite(v16i magnitudes) {
  const v16 largest = i_as_float(magnitudes);
  const bool finite = m_count(v_less(largest, v_set1(INFINITY))) == TAREI_LANES;
  return finite ? row_scale_of(v_reduce_max(largest)) : 0.0f;
}

/* --- rows that overlap ------------------------------------------------------------------------ */
/* A row is `whole` pieces, as long as the step from row to row, and `rest` elements of the next
 * one: each piece is looked at once. Other rows are all rest. */
typedef struct windows {
  size_t step, whole, rest;
  v16i pieces[MOST_PIECES]; /* largest magnitudes; of the last piece only where it begins */
} windows;

TAREI_INLINE windows windows_at(const float *x, size_t ldx, size_t k) {
  const bool overlap = ldx >= TAREI_LANES && ldx < k && k / ldx < MOST_PIECES;
  windows w = {.step = ldx, .whole = overlap ? k / ldx : 0};
  w.rest = k - w.whole * ldx;
  for (size_t i = 0; i < w.whole; i++) {
    const bool last = i + 1 == w.whole;
    w.pieces[i + 1] = largest_magnitudes(x + i * ldx, last ? w.rest : ldx);
  }
  return w;
}

/* Of the row at x; rows come in order. */
TAREI_INLINE v16i windows_largest(windows *w, const float *x) {
  const float *const rest = x + w->whole * w->step;
  v16i largest = largest_magnitudes(rest, w->rest);
  if (w->whole > 0) {
    const v16i begun = largest;
    const v16i end = largest_magnitudes(rest - (w->step - w->rest), w->step - w->rest);
    w->pieces[w->whole] = i_max(w->pieces[w->whole], end);
    for (size_t i = 0; i < w->whole; i++) {
      w->pieces[i] = w->pieces[i + 1];
      largest = i_max(largest, w->pieces[i]);
    }
    w->pieces[w->whole] = begun;
  }
  return largest;
}

/* --- rows ------------------------------------------------------------------------------------- */
/* What a row shares with the one before is copied where both have the same scale. */
TAREI_INLINE void put_row_finite(const float *x, size_t k, float scale, uint8_t *out,
                                 const uint8_t *same, size_t shared) {
  if (same) {
    memcpy(out, same, shared);
    put_finite(x + shared, k - shared, v_set1(1.0f / scale), out + shared);
  } else {
    put_finite(x, k, v_set1(1.0f / scale), out);
  }
}

/* The scale of a row takes long to become known: the next row is looked at before it is needed. */
static void TAREI_K(quantize_each)(const float *x, size_t ldx, size_t m, size_t k, uint8_t *out,
                                   size_t ldo, float *scales) {
  if (m == 0) {
    return;
  }
  windows w = windows_at(x, ldx, k);
  float last = 0.0f, next = scale_if_finite(windows_largest(&w, x));
  for (size_t i = 0; i < m; i++) {
    const float scale = next;
    next = i + 1 < m ? scale_if_finite(windows_largest(&w, x + ldx)) : 0.0f;
    if (scale > 0) {
      const bool same = w.whole > 0 && scale == last;
      scales[i] = scale;
      put_row_finite(x, k, scale, out, same ? out - ldo + ldx : NULL, k - ldx);
    } else {
      scales[i] = TAREI_K(quantize_rows_put_any)(x, k, out);
    }
    last = scale;
    x += ldx;
    out += ldo;
  }
}

/* --- sixteen rows of at most WHOLE elements --------------------------------------------------- */
TAREI_INLINE v16 narrow_load(const float *x, size_t q, const size_t quarters, size_t last) {
  return q + 1 < quarters ? v_load(x + q * QUARTER) : v_load_n(x + q * QUARTER, last);
}

/* False, and nothing done, where not all are finite. `last`: elements of the last quarter. */
TAREI_INLINE bool quantize_narrow(const float *x, size_t ldx, const size_t quarters, size_t last,
                                  uint8_t *out, size_t ldo, float *scales) {
  v16i sizes[TAREI_LANES], largest = i_set1(0);
  for (size_t i = 0; i < TAREI_LANES; i++) {
    v16i size = i_set1(0);
    for (size_t q = 0; q < quarters; q++) {
      size = larger_magnitude(size, narrow_load(x + i * ldx, q, quarters, last));
    }
    sizes[i] = size;
    largest = i_max(largest, size);
  }
  if (m_count(v_less(i_as_float(largest), v_set1(INFINITY))) < TAREI_LANES) {
    return false;
  }
  float inv_scales[TAREI_LANES];
  const v16 scale = row_scales_of(i_max_of_each(sizes));
  v_store(scales, scale);
  v_store(inv_scales, v_div(v_set1(1.0f), scale));
  for (size_t i = 0; i < TAREI_LANES; i++) {
    const v16 inv_scale = v_set1(inv_scales[i]);
    if (quarters == 1) {
      const v16i steps = v_nearest(v_mul(narrow_load(x + i * ldx, 0, 1, last), inv_scale));
      i_store_u8_n(out + i * ldo, i_add(steps, i_set1(128)), last);
      continue;
    }
    v16i steps[4] = {i_set1(0), i_set1(0), i_set1(0), i_set1(0)};
    for (size_t q = 0; q < quarters; q++) {
      steps[q] = v_nearest(v_mul(narrow_load(x + i * ldx, q, quarters, last), inv_scale));
    }
    i_store_biased(out + i * ldo, steps, (quarters - 1) * QUARTER + last);
  }
  return true;
}

TAREI_INLINE bool quantize_sixteen(const float *x, size_t ldx, size_t k, uint8_t *out, size_t ldo,
                                   float *scales) {
  if (k <= QUARTER) {
    return quantize_narrow(x, ldx, 1, k, out, ldo, scales);
  }
  if (k <= 2 * QUARTER) {
    return quantize_narrow(x, ldx, 2, k - QUARTER, out, ldo, scales);
  }
  if (k <= 3 * QUARTER) {
    return quantize_narrow(x, ldx, 3, k - 2 * QUARTER, out, ldo, scales);
  }
  return quantize_narrow(x, ldx, 4, k - 3 * QUARTER, out, ldo, scales);
}

void TAREI_K(tarei_k_quantize_rows_f32u8_16)(const float *x, size_t ldx, size_t m, size_t k,
                                             uint8_t *out, size_t ldo, float *scales) {
  for (; k <= WHOLE && m >= TAREI_LANES; m -= TAREI_LANES) {
    if (!quantize_sixteen(x, ldx, k, out, ldo, scales)) {
      TAREI_K(quantize_each)(x, ldx, TAREI_LANES, k, out, ldo, scales);
    }
    x += TAREI_LANES * ldx;
    out += TAREI_LANES * ldo;
    scales += TAREI_LANES;
  }
  TAREI_K(quantize_each)(x, ldx, m, k, out, ldo, scales);
}
