/* Rows to bytes, each by its own largest magnitude. Instantiated once per ISA. */
#include "kernels/generic/row_bytes16.h"

static float TAREI_K(quantize_rows_put_any)(const float *x, size_t n, uint8_t *out, int32_t zero) {
  const float scale = row_scale_of(finite_amax(x, n), zero);
  put_saturated(x, n, scale, out, zero);
  return scale;
}

/* 0 where not all values are finite. */
TAREI_INLINE float scale_if_finite(v16i magnitudes, const int32_t zero) {
  const v16 largest = i_as_float(magnitudes);
  const bool finite = m_count(v_less(largest, v_set1(INFINITY))) == TAREI_LANES;
  return finite ? row_scale_of(v_reduce_max(largest), zero) : 0.0f;
}

/* --- rows ------------------------------------------------------------------------------------- */
/* The scale of a row takes long to become known: the next row is looked at before it is needed. */
static void TAREI_K(quantize_each)(const float *x, size_t ldx, size_t m, size_t k, uint8_t *out,
                                   size_t ldo, float *scales, int32_t zero) {
  float next = m > 0 ? scale_if_finite(largest_magnitudes(x, k), zero) : 0.0f;
  for (size_t i = 0; i < m; i++) {
    const float scale = next;
    next = i + 1 < m ? scale_if_finite(largest_magnitudes(x + ldx, k), zero) : 0.0f;
    if (scale > 0) {
      scales[i] = scale;
      put_finite(x, k, v_set1(1.0f / scale), out, zero);
    } else {
      scales[i] = TAREI_K(quantize_rows_put_any)(x, k, out, zero);
    }
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
                                  uint8_t *out, size_t ldo, float *scales, const int32_t zero) {
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
  const v16 scale = row_scales_of(i_max_of_each(sizes), zero);
  v_store(scales, scale);
  v_store(inv_scales, v_div(v_set1(1.0f), scale));
  for (size_t i = 0; i < TAREI_LANES; i++) {
    const v16 inv_scale = v_set1(inv_scales[i]);
    if (quarters == 1) {
      const v16i steps = v_nearest(v_mul(narrow_load(x + i * ldx, 0, 1, last), inv_scale));
      const v16i bytes = zero == 0 ? i_max(steps, i_set1(0)) : i_add(steps, i_set1(128));
      i_store_u8_n(out + i * ldo, bytes, last);
      continue;
    }
    v16i steps[4] = {i_set1(0), i_set1(0), i_set1(0), i_set1(0)};
    for (size_t q = 0; q < quarters; q++) {
      steps[q] = v_nearest(v_mul(narrow_load(x + i * ldx, q, quarters, last), inv_scale));
    }
    put_steps(out + i * ldo, steps, (quarters - 1) * QUARTER + last, zero);
  }
  return true;
}

TAREI_INLINE bool quantize_sixteen(const float *x, size_t ldx, size_t k, uint8_t *out, size_t ldo,
                                   float *scales, const int32_t zero) {
  if (k <= QUARTER) {
    return quantize_narrow(x, ldx, 1, k, out, ldo, scales, zero);
  }
  if (k <= 2 * QUARTER) {
    return quantize_narrow(x, ldx, 2, k - QUARTER, out, ldo, scales, zero);
  }
  if (k <= 3 * QUARTER) {
    return quantize_narrow(x, ldx, 3, k - 2 * QUARTER, out, ldo, scales, zero);
  }
  return quantize_narrow(x, ldx, 4, k - 3 * QUARTER, out, ldo, scales, zero);
}

void TAREI_K(tarei_k_quantize_rows_f32u8_16)(const float *x, size_t ldx, size_t m, size_t k,
                                             uint8_t *out, size_t ldo, float *scales,
                                             int32_t zero) {
  for (; k <= WHOLE && m >= TAREI_LANES; m -= TAREI_LANES) {
    if (!quantize_sixteen(x, ldx, k, out, ldo, scales, zero)) {
      TAREI_K(quantize_each)(x, ldx, TAREI_LANES, k, out, ldo, scales, zero);
    }
    x += TAREI_LANES * ldx;
    out += TAREI_LANES * ldo;
    scales += TAREI_LANES;
  }
  TAREI_K(quantize_each)(x, ldx, m, k, out, ldo, scales, zero);
}
