/* Channels-first: moments of a channel, and a channel moved and multiplied. Instantiated once per
 * ISA. */
#include <math.h>

#include "kernels/generic/w16.h"

tarei_plane_moments TAREI_K(tarei_k_plane_moments_f32_16)(const float *x, size_t n) {
  const double count = (double)n;
  const w16 first = w_set1((double)x[0]);
  w16 sums = w_set1(0), squares = w_set1(0);
  size_t i = 0;
  for (; i + TAREI_LANES <= n; i += TAREI_LANES) {
    const w16 distance = w_sub(w_widen(x + i), first);
    sums = w_add(sums, distance);
    squares = w_add(squares, w_mul(distance, distance));
  }
  double sums_of[TAREI_LANES], squares_of[TAREI_LANES];
  w_store(sums_of, sums);
  w_store(squares_of, squares);
  for (size_t l = 0; i + l < n; l++) {
    const double distance = (double)x[i + l] - (double)x[0];
    sums_of[l] += distance;
    squares_of[l] += distance * distance;
  }
  const double sum = w_sum(w_load(sums_of));
  const double rest = w_sum(w_load(squares_of)) - sum * sum / count;
  return (tarei_plane_moments){(double)x[0] + sum / count, rest < 0 ? 0 : rest};
}

/* --- scale ------------------------------------------------------------------------------------ */
TAREI_INLINE void plane_scale_at(const tarei_plane_scale *s, const float *x, size_t i, size_t n,
                                 float *out) {
  const v16 center = v_load_n(s->center + i, n), factor = v_load_n(s->factor + i, n);
  const v16 distance = v_sub(v_load_n(x + i, n), center);
  v_store_n(out + i, v_fma(distance, factor, v_load_n(s->offset + i, n)), n);
}

static void TAREI_K(plane_scale_each)(const tarei_plane_scale *s, const float *x, size_t n,
                                      float *out) {
  size_t i = 0;
  for (; i + TAREI_LANES <= n; i += TAREI_LANES) {
    plane_scale_at(s, x, i, TAREI_LANES, out);
  }
  if (i < n) {
    plane_scale_at(s, x, i, n - i, out);
  }
}

void TAREI_K(tarei_k_plane_scale_f32_16)(const tarei_plane_scale *s, const float *x, size_t n,
                                         float *out) {
  if (s->step) {
    TAREI_K(plane_scale_each)(s, x, n, out);
    return;
  }
  const v16 center = v_set1(*s->center), factor = v_set1(*s->factor), offset = v_set1(*s->offset);
  size_t i = 0;
  for (; i + TAREI_LANES <= n; i += TAREI_LANES) {
    v_store(out + i, v_fma(v_sub(v_load(x + i), center), factor, offset));
  }
  if (i < n) {
    const v16 distance = v_sub(v_load_part(x + i, n - i), center);
    v_store_part(out + i, v_fma(distance, factor, offset), n - i);
  }
}
