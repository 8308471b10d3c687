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
/* Where the block of sixteen begins that takes element i of n: the last one overlaps the one before
 * it. */
TAREI_INLINE size_t pool_block(size_t i, size_t n) {
  return n - i < TAREI_LANES ? n - TAREI_LANES : i;
}

TAREI_INLINE void pool_add_block(const tarei_pool_line *p, size_t i, double *sums) {
  w16 sum = p->n_rows ? w_widen(p->rows[0] + i) : w_set1(0);
  for (size_t r = 1; r < p->n_rows; r++) {
    sum = w_add(sum, w_widen(p->rows[r] + i));
  }
  w_store(sums + i, sum);
}

TAREI_INLINE void pool_add_column(const tarei_pool_line *p, size_t i, double *sums) {
  double sum = p->n_rows ? (double)p->rows[0][i] : 0;
  for (size_t r = 1; r < p->n_rows; r++) {
    sum += (double)p->rows[r][i];
  }
  sums[i] = sum;
}

static void TAREI_K(pool_add_columns)(const tarei_pool_line *p, double *sums) {
  if (p->width < TAREI_LANES) {
    for (size_t i = 0; i < p->width; i++) {
      pool_add_column(p, i, sums);
    }
    return;
  }
  for (size_t i = 0; i < p->width; i += TAREI_LANES) {
    pool_add_block(p, pool_block(i, p->width), sums);
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

TAREI_INLINE void pool_mean_block(const tarei_pool_line *p, const double *from, size_t stride,
                                  float *out) {
  w16 sum = pool_sums_apart(from, stride);
  for (size_t t = 1; t < p->taps; t++) {
    sum = w_add(sum, pool_sums_apart(from + t * p->dilation, stride));
  }
  w_narrow(out, w_mul(sum, w_set1(p->share)));
}

TAREI_INLINE float pool_mean_of(const tarei_pool_line *p, const double *from) {
  double sum = from[0];
  for (size_t t = 1; t < p->taps; t++) {
    sum += from[t * p->dilation];
  }
  return (float)(sum * p->share);
}

TAREI_INLINE void pool_means(const tarei_pool_line *p, const double *from, size_t stride) {
  if (p->n < TAREI_LANES) {
    for (size_t i = 0; i < p->n; i++) {
      p->out[i] = pool_mean_of(p, from + i * stride);
    }
    return;
  }
  for (size_t i = 0; i < p->n; i += TAREI_LANES) {
    const size_t at = pool_block(i, p->n);
    pool_mean_block(p, from + at * stride, stride, p->out + at);
  }
}

void TAREI_K(tarei_k_pool_line_f32_16)(const tarei_pool_line *line, double *sums) {
  const tarei_pool_line copy = *line, *const p = &copy; /* which stores do not make it read again */
  TAREI_K(pool_add_columns)(p, sums);
  if (p->stride == 1) {
    pool_means(p, sums + p->first, 1);
  } else if (p->stride == 2) {
    pool_means(p, sums + p->first, 2);
  } else {
    pool_means(p, sums + p->first, p->stride);
  }
}
