/* Finite extremes and counts of NaN and Inf, instantiated once per ISA. */
#include <math.h>

#include "kernels/generic/v16.h"

enum { MINMAX_BLOCK = 4 * TAREI_LANES };

static void minmax_one_by_one(const float *x, size_t n, tarei_minmax *m) {
  for (size_t i = 0; i < n; i++) {
    const float v = x[i] + 0.0f; /* no negative zero: the order of the lanes would show */
    if (v != v) {
      m->n_nan++;
    } else if (fabsf(v) == INFINITY) {
      m->n_inf++;
    } else {
      m->min = v < m->min ? v : m->min;
      m->max = v > m->max ? v : m->max;
    }
  }
}

TAREI_INLINE v16m v_is_finite(v16 x) { return v_less(v_abs(x), v_set1(INFINITY)); }

void TAREI_K(tarei_k_minmax_f32_64)(const float *x, size_t n, tarei_minmax *m) {
  v16 low[4], high[4];
  for (int j = 0; j < 4; j++) {
    low[j] = v_set1(INFINITY);
    high[j] = v_set1(-INFINITY);
  }
  size_t i = 0;
  for (; i + MINMAX_BLOCK <= n; i += MINMAX_BLOCK) {
    const v16 v[4] = {v_load(x + i), v_load(x + i + 16), v_load(x + i + 32), v_load(x + i + 48)};
    const v16m first = m_and(v_is_finite(v[0]), v_is_finite(v[1]));
    const v16m second = m_and(v_is_finite(v[2]), v_is_finite(v[3]));
    if (m_count(m_and(first, second)) != TAREI_LANES) {
      minmax_one_by_one(x + i, MINMAX_BLOCK, m);
      continue;
    }
    for (int j = 0; j < 4; j++) {
      low[j] = v_min(low[j], v[j]);
      high[j] = v_max(high[j], v[j]);
    }
  }
  minmax_one_by_one(x + i, n - i, m);
  const float min = v_reduce_min(v_min(v_min(low[0], low[1]), v_min(low[2], low[3]))) + 0.0f;
  const float max = v_reduce_max(v_max(v_max(high[0], high[1]), v_max(high[2], high[3]))) + 0.0f;
  m->min = min < m->min ? min : m->min;
  m->max = max > m->max ? max : m->max;
}
