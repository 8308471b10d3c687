/* Windows over planes, a block of lines at a time: first what the rows under them have in each
 * column, then the columns of each window. Columns have what leaves a window as it is on both
 * sides, so that windows at the ends are like all others. Instantiated once per ISA. */
#include <math.h>

#include "kernels/generic/pooling/pool_lanes.h"

typedef enum pool_rule {
  POOL_LARGEST,        /* of numbers */
  POOL_LARGEST_OR_NAN, /* a NaN is larger than all */
  POOL_MEAN,
} pool_rule;

TAREI_INLINE v16 pool_join(v16 x, v16 all, const pool_rule rule) {
  return rule == POOL_MEAN      ? v_add(all, x)
         : rule == POOL_LARGEST ? v_max(x, all)
                                : v_select(v_is_number(x), v_max(x, all), x);
}

TAREI_INLINE float pool_neutral(const pool_rule rule) {
  return rule == POOL_MEAN ? 0.0f : -INFINITY;
}

/* A line of the outputs of a plane. */
typedef struct pool_place {
  size_t outer, inner;
} pool_place;

TAREI_INLINE void pool_next(const tarei_pool_planes *p, pool_place *at) {
  if (++at->inner == p->out_dims[1]) {
    at->inner = 0;
    at->outer++;
  }
}

/* --- columns ---------------------------------------------------------------------------------- */

/* Rows under a window: n[0] times n[1] of them, in floats apart. */
typedef struct pool_rows {
  const float *first;
  size_t n[2], apart[2];
} pool_rows;

TAREI_INLINE pool_rows pool_rows_of(const tarei_pool_planes *p, const float *x,
                                    const pool_place *at) {
  const tarei_pool_span *const outer = &p->spans[0][at->outer];
  const tarei_pool_span *const inner = &p->spans[1][at->inner];
  const size_t width = p->in[2], plane = p->in[1] * width;
  return (pool_rows){.first = x + outer->first * plane + inner->first * width,
                     .n = {outer->n, inner->n},
                     .apart = {p->dilation[0] * plane, p->dilation[1] * width}};
}

/* Columns [i, i + n), n <= 16, of rows of which there are some. Their sum, in which a NaN stays, is
 * added to `seen`. */
TAREI_INLINE v16 pool_column(const pool_rows *r, const size_t inner, size_t i, size_t n,
                             const pool_rule rule, v16 *seen) {
  const float *x = r->first + i;
  v16 all = v_load_n(x, n), sum = all;
  for (size_t j = 1; j < inner; j++) {
    const v16 row = v_load_n(x + j * r->apart[1], n);
    all = pool_join(row, all, rule);
    sum = v_add(sum, row);
  }
  for (size_t k = 1; k < r->n[0]; k++) {
    x += r->apart[0];
    for (size_t j = 0; j < inner; j++) {
      const v16 row = v_load_n(x + j * r->apart[1], n);
      all = pool_join(row, all, rule);
      sum = v_add(sum, row);
    }
  }
  *seen = v_add(*seen, sum);
  return all;
}

TAREI_INLINE v16 pool_columns_of(const pool_rows *r, const size_t inner, size_t width,
                                 float *columns, const pool_rule rule) {
  v16 seen = v_set1(0);
  size_t i = 0;
  for (; i + TAREI_LANES <= width; i += TAREI_LANES) {
    v_store(columns + i, pool_column(r, inner, i, TAREI_LANES, rule, &seen));
  }
  if (i < width) {
    const v16 last = pool_column(r, inner, i, width - i, rule, &seen);
    v_store(columns + i, v_select(m_first(width - i), last, v_set1(pool_neutral(rule))));
  }
  return seen;
}

TAREI_INLINE void pool_fill(float *to, size_t n, float x) {
  for (size_t i = 0; i < n; i++) {
    to[i] = x;
  }
}

TAREI_INLINE v16 pool_columns(const pool_rows *r, size_t width, float *columns,
                              const pool_rule rule) {
  if (r->n[0] == 0 || r->n[1] == 0) {
    pool_fill(columns, width, pool_neutral(rule));
    return v_set1(0);
  }
  return r->n[1] == 2   ? pool_columns_of(r, 2, width, columns, rule)
         : r->n[1] == 3 ? pool_columns_of(r, 3, width, columns, rule)
                        : pool_columns_of(r, r->n[1], width, columns, rule);
}

/* --- windows ---------------------------------------------------------------------------------- */

/* As many are added up as one, so that the errors of long windows stay small. */
enum { POOL_TAPS = 32 };

/* Taps [first, end) of n windows that begin `apart` columns from one another. */
TAREI_INLINE v16 pool_some_taps(const tarei_pool_planes *p, const float *from, const size_t apart,
                                size_t first, size_t end, size_t n, const pool_rule rule) {
  v16 all = pool_lanes(from + first * p->dilation[2], apart, n);
  for (size_t t = first + 1; t < end; t++) {
    all = pool_join(pool_lanes(from + t * p->dilation[2], apart, n), all, rule);
  }
  return all;
}

TAREI_INLINE v16 pool_taps(const tarei_pool_planes *p, const float *from, const size_t apart,
                           const size_t taps, size_t n, const pool_rule rule) {
  size_t end = taps < POOL_TAPS ? taps : POOL_TAPS;
  v16 all = pool_some_taps(p, from, apart, 0, end, n, rule);
  while (end < taps) {
    const size_t first = end;
    end = taps - first < POOL_TAPS ? taps : first + POOL_TAPS;
    all = pool_join(pool_some_taps(p, from, apart, first, end, n, rule), all, rule);
  }
  return all;
}

TAREI_INLINE v16 pool_beside(const tarei_pool_planes *p, const float *from, const size_t taps,
                             const pool_rule rule) {
  return pool_taps(p, from, 1, taps, TAREI_LANES, rule);
}

TAREI_INLINE v16 pool_every_second(const tarei_pool_planes *p, const float *from, const size_t taps,
                                   const pool_rule rule) {
  return v_even(pool_beside(p, from, taps, rule), pool_beside(p, from + TAREI_LANES, taps, rule));
}

/* n windows; at strides of 2 and 4, every second and fourth one of those of all columns. */
TAREI_INLINE v16 pool_windows(const tarei_pool_planes *p, const float *from, const size_t taps,
                              const size_t stride, size_t n, const pool_rule rule) {
  return stride == 1   ? pool_beside(p, from, taps, rule)
         : stride == 2 ? pool_every_second(p, from, taps, rule)
         : stride == 4 ? v_even(pool_every_second(p, from, taps, rule),
                                pool_every_second(p, from + 2 * TAREI_LANES, taps, rule))
                       : pool_taps(p, from, stride, taps, n, rule);
}

/* Of a line, of rows that averages count as so many. */
TAREI_INLINE void pool_line_of(const tarei_pool_planes *p, const float *columns, float rows,
                               const size_t taps, const size_t stride, float *out,
                               const pool_rule rule) {
  for (size_t i = 0; i < p->out_dims[2]; i += TAREI_LANES) {
    const size_t n = lanes_left(i, p->out_dims[2]);
    const v16 all = pool_windows(p, columns + i * stride, taps, stride, n, rule);
    const v16 count = v_mul(v_load_n(p->counts + i, n), v_set1(rows));
    v_store_n(out + i, rule == POOL_MEAN ? v_div(all, count) : all, n);
  }
}

TAREI_INLINE void pool_line_apart(const tarei_pool_planes *p, const float *columns, float rows,
                                  const size_t stride, float *out, const pool_rule rule) {
  if (p->taps == 2) {
    pool_line_of(p, columns, rows, 2, stride, out, rule);
  } else if (p->taps == 3) {
    pool_line_of(p, columns, rows, 3, stride, out, rule);
  } else {
    pool_line_of(p, columns, rows, p->taps, stride, out, rule);
  }
}

TAREI_INLINE void pool_one_line(const tarei_pool_planes *p, const float *columns, float rows,
                                float *out, const pool_rule rule) {
  if (p->stride == 1) {
    pool_line_apart(p, columns, rows, 1, out, rule);
  } else if (p->stride == 2) {
    pool_line_apart(p, columns, rows, 2, out, rule);
  } else if (p->stride == 4) {
    pool_line_of(p, columns, rows, p->taps, 4, out, rule);
  } else {
    pool_line_of(p, columns, rows, p->taps, p->stride, out, rule);
  }
}

/* --- planes ----------------------------------------------------------------------------------- */

/* n lines of a plane from `first` on; false, and none, where the rule wants numbers and there may
 * be a NaN: infinite elements of both signs look like one. */
TAREI_INLINE bool pool_block(const tarei_pool_planes *p, const float *x, const pool_place *first,
                             size_t n, float *columns, float *out, const pool_rule rule) {
  const size_t ld = tarei_pool_columns_ld(p), before = tarei_pool_columns_before(p);
  v16 seen = v_set1(0);
  pool_place at = *first;
  for (size_t i = 0; i < n; i++, pool_next(p, &at)) {
    const pool_rows rows = pool_rows_of(p, x, &at);
    seen = v_add(seen, pool_columns(&rows, p->in[2], columns + i * ld + before, rule));
  }
  if (rule == POOL_LARGEST && m_count(v_is_number(seen)) < TAREI_LANES) {
    return false;
  }
  at = *first;
  for (size_t i = 0; i < n; i++, pool_next(p, &at)) {
    const float rows = p->spans[0][at.outer].count * p->spans[1][at.inner].count;
    pool_one_line(p, columns + i * ld + before - p->pad, rows, out + i * p->out_dims[2], rule);
  }
  return true;
}

#define POOL_BLOCK(name, rule)                                                                   \
  static bool TAREI_K(name)(const tarei_pool_planes *p, const float *x, const pool_place *first, \
                            size_t n, float *columns, float *out) {                              \
    return pool_block(p, x, first, n, columns, out, rule);                                       \
  }
POOL_BLOCK(pool_block_mean, POOL_MEAN)
POOL_BLOCK(pool_block_largest, POOL_LARGEST)
POOL_BLOCK(pool_block_careful, POOL_LARGEST_OR_NAN)
#undef POOL_BLOCK

TAREI_INLINE void pool_planes(const tarei_pool_planes *planes, float *columns, const bool mean) {
  const tarei_pool_planes copy = *planes; /* which stores do not make the compiler read again */
  const tarei_pool_planes *const p = &copy;
  const size_t lines = p->out_dims[0] * p->out_dims[1];
  const size_t block = tarei_pool_columns(p) / tarei_pool_columns_ld(p);
  const float *x = p->x;
  float *out = p->out;
  pool_fill(columns, tarei_pool_columns(p), pool_neutral(mean ? POOL_MEAN : POOL_LARGEST));
  for (size_t k = 0; k < p->planes; k++, x += p->in[0] * p->in[1] * p->in[2]) {
    for (size_t first = 0; first < lines; first += block) {
      const pool_place at = {first / p->out_dims[1], first % p->out_dims[1]};
      const size_t n = lines - first < block ? lines - first : block;
      if (mean) {
        TAREI_K(pool_block_mean)(p, x, &at, n, columns, out);
      } else if (!TAREI_K(pool_block_largest)(p, x, &at, n, columns, out)) {
        TAREI_K(pool_block_careful)(p, x, &at, n, columns, out);
      }
      out += n * p->out_dims[2];
    }
  }
}

void TAREI_K(tarei_k_pool_planes_max_f32_16)(const tarei_pool_planes *planes, float *columns) {
  pool_planes(planes, columns, false);
}

void TAREI_K(tarei_k_pool_planes_mean_f32_16)(const tarei_pool_planes *planes, float *columns) {
  pool_planes(planes, columns, true);
}
