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

/* --- pool ------------------------------------------------------------------------------------- */
/* Lanes beyond the width are zeros, and so is what windows read behind it. */
TAREI_INLINE w16 pool_widen(const float *x, size_t n) {
  if (n == TAREI_LANES) {
    return w_widen(x);
  }
  float lane[TAREI_LANES];
  v_store(lane, v_load_part(x, n));
  return w_widen(lane);
}

static void TAREI_K(pool_add_columns)(const tarei_pool_line *p, double *sums) {
  size_t i = 0;
  for (; i < p->width; i += TAREI_LANES) {
    const size_t n = lanes_left(i, p->width);
    w16 sum = p->n_rows ? pool_widen(p->rows[0] + i, n) : w_set1(0);
    for (size_t r = 1; r < p->n_rows; r++) {
      sum = w_add(sum, pool_widen(p->rows[r] + i, n));
    }
    w_store(sums + i, sum);
  }
  for (; i < p->width + TAREI_POOL_ROOM; i++) {
    sums[i] = 0;
  }
}

/* Sixteen columns `stride` apart. */
TAREI_INLINE w16 pool_sums_apart(const double *from, size_t stride) {
  if (stride == 1) {
    return w_load(from);
  }
  double lane[TAREI_LANES];
  for (size_t l = 0; l < TAREI_LANES; l++) {
    lane[l] = from[l * stride];
  }
  return w_load(lane);
}

TAREI_INLINE v16 pool_means(const tarei_pool_line *p, const double *from, size_t stride) {
  w16 sum = pool_sums_apart(from, stride);
  for (size_t t = 1; t < p->taps; t++) {
    sum = w_add(sum, pool_sums_apart(from + t * p->dilation, stride));
  }
  return w_floats(w_mul(sum, w_set1(p->share)));
}

TAREI_INLINE float pool_mean_of(const tarei_pool_line *p, const double *from) {
  double sum = from[0];
  for (size_t t = 1; t < p->taps; t++) {
    sum += from[t * p->dilation];
  }
  return (float)(sum * p->share);
}

/* WINDOWS of sixteen, from a column on and a stride apart, and one that is OF a column. Every
 * second one is taken out of all of them. */
#define POOL_WINDOWS(p, from, WINDOWS, OF)                                                      \
  if ((p)->stride > 2) {                                                                        \
    size_t i = 0;                                                                               \
    for (; i + TAREI_LANES <= (p)->n; i += TAREI_LANES) {                                       \
      v_store((p)->out + i, WINDOWS(p, (from) + i * (p)->stride, (p)->stride));                 \
    }                                                                                           \
    for (; i < (p)->n; i++) {                                                                   \
      (p)->out[i] = OF(p, (from) + i * (p)->stride);                                            \
    }                                                                                           \
    return;                                                                                     \
  }                                                                                             \
  for (size_t i = 0; i < (p)->n; i += TAREI_LANES) {                                            \
    const v16 windows = (p)->stride == 1 ? WINDOWS(p, (from) + i, 1)                            \
                                         : v_even(WINDOWS(p, (from) + 2 * i, 1),                \
                                                  WINDOWS(p, (from) + 2 * i + TAREI_LANES, 1)); \
    v_store_n((p)->out + i, windows, lanes_left(i, (p)->n));                                    \
  }

void TAREI_K(tarei_k_pool_line_f32_16)(const tarei_pool_line *line, double *sums) {
  const tarei_pool_line copy = *line, *const p = &copy; /* which stores do not make it read again */
  TAREI_K(pool_add_columns)(p, sums);
  POOL_WINDOWS(p, sums + p->first, pool_means, pool_mean_of)
}

/* --- the largest ------------------------------------------------------------------------------ */
TAREI_INLINE v16 pool_larger(v16 x, v16 best) {
  return v_select(v_is_number(x), v_max(x, best), x);
}

static void TAREI_K(pool_largest_columns)(const tarei_pool_line *p, float *columns) {
  size_t i = 0;
  for (; i < p->width; i += TAREI_LANES) {
    const size_t n = lanes_left(i, p->width);
    v16 best = p->n_rows ? v_load_n(p->rows[0] + i, n) : v_set1(-INFINITY);
    for (size_t r = 1; r < p->n_rows; r++) {
      best = pool_larger(v_load_n(p->rows[r] + i, n), best);
    }
    v_store(columns + i, best);
  }
  for (; i < p->width + TAREI_POOL_ROOM; i++) {
    columns[i] = 0;
  }
}

TAREI_INLINE v16 pool_floats_apart(const float *from, size_t stride) {
  if (stride == 1) {
    return v_load(from);
  }
  float lane[TAREI_LANES];
  for (size_t l = 0; l < TAREI_LANES; l++) {
    lane[l] = from[l * stride];
  }
  return v_load(lane);
}

TAREI_INLINE v16 pool_largest_windows(const tarei_pool_line *p, const float *from, size_t stride) {
  v16 best = pool_floats_apart(from, stride);
  for (size_t t = 1; t < p->taps; t++) {
    best = pool_larger(pool_floats_apart(from + t * p->dilation, stride), best);
  }
  return best;
}

TAREI_INLINE float pool_largest_of(const tarei_pool_line *p, const float *from) {
  float best = from[0];
  for (size_t t = 1; t < p->taps; t++) {
    const float x = from[t * p->dilation];
    best = x > best || x != x ? x : best;
  }
  return best;
}

void TAREI_K(tarei_k_pool_line_max_f32_16)(const tarei_pool_line *line, float *columns) {
  const tarei_pool_line copy = *line, *const p = &copy;
  TAREI_K(pool_largest_columns)(p, columns);
  POOL_WINDOWS(p, columns + p->first, pool_largest_windows, pool_largest_of)
}
#undef POOL_WINDOWS
