/* Fourier transforms of sixteen frames, a lane each. Instantiated once per ISA. */
#include <math.h>

#include "kernels/generic/epilogue.h"
#include "kernels/generic/v16.h"

enum {
  FOURIER_POINT = 2 * TAREI_LANES, /* floats: real parts, imaginary parts */
  FOURIER_COLUMNS = 8,             /* that are transposed at a time */
  FOURIER_TILE = 64,               /* outputs that are finished at a time */
  FOURIER_FACTOR = 5,              /* the largest */
};

typedef struct point16 {
  v16 re, im;
} point16;

TAREI_INLINE point16 point_load(const float *x) {
  return (point16){v_load(x), v_load(x + TAREI_LANES)};
}

TAREI_INLINE void point_store(float *x, point16 p) {
  v_store(x, p.re);
  v_store(x + TAREI_LANES, p.im);
}

TAREI_INLINE point16 point_add(point16 a, point16 b) {
  return (point16){v_add(a.re, b.re), v_add(a.im, b.im)};
}

TAREI_INLINE point16 point_sub(point16 a, point16 b) {
  return (point16){v_sub(a.re, b.re), v_sub(a.im, b.im)};
}

/* a + f * b */
TAREI_INLINE point16 point_more(point16 a, float f, point16 b) {
  return (point16){v_fma(v_set1(f), b.re, a.re), v_fma(v_set1(f), b.im, a.im)};
}

TAREI_INLINE point16 point_scaled(point16 a, float f) {
  return (point16){v_mul(a.re, v_set1(f)), v_mul(a.im, v_set1(f))};
}

/* a - i b and a + i b */
TAREI_INLINE point16 point_behind(point16 a, point16 b) {
  return (point16){v_add(a.re, b.im), v_sub(a.im, b.re)};
}

TAREI_INLINE point16 point_ahead(point16 a, point16 b) {
  return (point16){v_sub(a.re, b.im), v_add(a.im, b.re)};
}

TAREI_INLINE point16 point_turn(point16 a, const float *root) {
  const v16 c = v_set1(root[0]), s = v_set1(root[1]), minus_s = v_set1(root[2]);
  return (point16){v_fma(a.im, minus_s, v_mul(a.re, c)), v_fma(a.im, c, v_mul(a.re, s))};
}

/* --- transforms of two to five points --------------------------------------------------------- */

TAREI_INLINE void join2(point16 *x) {
  const point16 a = x[0];
  x[0] = point_add(a, x[1]);
  x[1] = point_sub(a, x[1]);
}

TAREI_INLINE void join3(point16 *x) {
  const point16 sum = point_add(x[1], x[2]);
  const point16 middle = point_more(x[0], -0.5f, sum);
  const point16 side = point_scaled(point_sub(x[1], x[2]), 0.866025403784438647f);
  x[0] = point_add(x[0], sum);
  x[1] = point_behind(middle, side);
  x[2] = point_ahead(middle, side);
}

TAREI_INLINE void join4(point16 *x) {
  const point16 even = point_add(x[0], x[2]), even_less = point_sub(x[0], x[2]);
  const point16 odd = point_add(x[1], x[3]), odd_less = point_sub(x[1], x[3]);
  x[0] = point_add(even, odd);
  x[1] = point_behind(even_less, odd_less);
  x[2] = point_sub(even, odd);
  x[3] = point_ahead(even_less, odd_less);
}

TAREI_INLINE void join5(point16 *x) {
  const float c1 = 0.309016994374947424f, c2 = -0.809016994374947424f;
  const float s1 = 0.951056516295153572f, s2 = 0.587785252292473129f;
  const point16 outer = point_add(x[1], x[4]), outer_less = point_sub(x[1], x[4]);
  const point16 inner = point_add(x[2], x[3]), inner_less = point_sub(x[2], x[3]);
  const point16 middle1 = point_more(point_more(x[0], c1, outer), c2, inner);
  const point16 middle2 = point_more(point_more(x[0], c2, outer), c1, inner);
  const point16 side1 = point_more(point_scaled(outer_less, s1), s2, inner_less);
  const point16 side2 = point_more(point_scaled(outer_less, s2), -s1, inner_less);
  x[0] = point_add(x[0], point_add(outer, inner));
  x[1] = point_behind(middle1, side1);
  x[2] = point_behind(middle2, side2);
  x[3] = point_ahead(middle2, side2);
  x[4] = point_ahead(middle1, side1);
}

TAREI_INLINE void join_points(point16 *x, const size_t factor) {
  if (factor == 2) {
    join2(x);
  } else if (factor == 3) {
    join3(x);
  } else if (factor == 4) {
    join4(x);
  } else {
    join5(x);
  }
}

/* Points `step` floats apart; roots of all but the first, or NULL. */
TAREI_INLINE void join_at(float *x, size_t step, const size_t factor, const float *roots) {
  point16 p[FOURIER_FACTOR];
  p[0] = point_load(x);
#pragma GCC unroll 5
  for (size_t q = 1; q < factor; q++) {
    const point16 given = point_load(x + q * step);
    p[q] = roots ? point_turn(given, roots + (q - 1) * TAREI_FOURIER_ROOT) : given;
  }
  join_points(p, factor);
#pragma GCC unroll 5
  for (size_t q = 0; q < factor; q++) {
    point_store(x + q * step, p[q]);
  }
}

/* --- all of a transform ----------------------------------------------------------------------- */

/* `factor` transforms of `length` points side by side become one. */
TAREI_INLINE void join_all(float *x, const size_t factor, size_t length, const float *roots) {
  const size_t step = length * FOURIER_POINT;
  join_at(x, step, factor, NULL);
  for (size_t k = 1; k < length; k++) {
    join_at(x + k * FOURIER_POINT, step, factor,
            roots + (k - 1) * (factor - 1) * TAREI_FOURIER_ROOT);
  }
}

TAREI_INLINE void join_level(float *x, size_t factor, size_t length, const float *roots) {
  if (factor == 2) {
    join_all(x, 2, length, roots);
  } else if (factor == 3) {
    join_all(x, 3, length, roots);
  } else if (factor == 4) {
    join_all(x, 4, length, roots);
  } else {
    join_all(x, 5, length, roots);
  }
}

/* Depth first: parts stay in the first cache until they are joined. */
static void TAREI_K(fourier_points)(const tarei_fourier *f, size_t level, size_t n, float *x,
                                    const float *roots) {
  const size_t factor = (size_t)f->factors[level], length = n / factor;
  const float *const next = roots + (length - 1) * (factor - 1) * TAREI_FOURIER_ROOT;
  for (size_t q = 0; level + 1 < f->levels && q < factor; q++) {
    TAREI_K(fourier_points)(f, level + 1, length, x + q * length * FOURIER_POINT, next);
  }
  join_level(x, factor, length, roots);
}

/* Samples under the window, and zeros behind them. */
TAREI_INLINE void fourier_read(const tarei_fourier_frames *call) {
  const tarei_fourier *const f = call->transform;
  v16 lanes[FOURIER_COLUMNS];
  for (size_t t = 0; t < f->n; t += FOURIER_COLUMNS) {
    const size_t left = t < f->taps ? f->taps - t : 0;
    const size_t given = left < FOURIER_COLUMNS ? left : FOURIER_COLUMNS;
    const size_t all = f->n - t < FOURIER_COLUMNS ? f->n - t : FOURIER_COLUMNS;
    if (given == FOURIER_COLUMNS) {
      v_load_columns(call->x + t, call->step, call->frames, FOURIER_COLUMNS, lanes);
    } else if (given) {
      v_load_columns(call->x + t, call->step, call->frames, given, lanes);
    }
    for (size_t i = 0; i < all; i++) {
      float *const to =
          call->work + (size_t)f->places[(t + i) / 2] * FOURIER_POINT + i % 2 * TAREI_LANES;
      v_store(to, i < given ? v_mul(lanes[i], v_set1(f->window[t + i])) : v_set1(0.0f));
    }
  }
}

/* Of the points of even and odd samples, those of all samples: bins k and n / 2 - k. */
TAREI_INLINE void fourier_split(const tarei_fourier *f, float *work) {
  const size_t half = f->n / 2;
  point_store(work + half * FOURIER_POINT, point_load(work));
  for (size_t k = 0; 2 * k <= half; k++) {
    float *const low = work + k * FOURIER_POINT, *const high = work + (half - k) * FOURIER_POINT;
    const point16 a = point_load(low), b = point_load(high);
    const point16 even = {v_add(a.re, b.re), v_sub(a.im, b.im)};
    const point16 odd = {v_add(a.im, b.im), v_sub(b.re, a.re)};
    const point16 turned = point_turn(odd, f->turns + k * TAREI_FOURIER_ROOT);
    const point16 other = point_sub(even, turned);
    point_store(low, point_add(even, turned));
    point_store(high, (point16){other.re, v_neg(other.im)});
  }
}

TAREI_INLINE v16 fourier_output(const tarei_fourier *f, const float *work, size_t o) {
  const point16 x = point_load(work + (size_t)f->bins[o] * FOURIER_POINT);
  const float *const part = f->parts + 2 * o;
  return v_fma(x.im, v_set1(part[1]), v_mul(x.re, v_set1(part[0])));
}

TAREI_INLINE void fourier_write(const tarei_fourier_frames *call) {
  const tarei_fourier *const f = call->transform;
  _Alignas(64) float values[TAREI_FOURIER_FRAMES * FOURIER_TILE];
  v16 lanes[FOURIER_COLUMNS];
  for (size_t o0 = 0; o0 < f->outputs; o0 += FOURIER_TILE) {
    const size_t tile = f->outputs - o0 < FOURIER_TILE ? f->outputs - o0 : FOURIER_TILE;
    for (size_t o = 0; o < tile; o += FOURIER_COLUMNS) {
      for (size_t i = 0; i < FOURIER_COLUMNS; i++) {
        const size_t last = f->outputs - 1, at = o0 + o + i;
        lanes[i] = fourier_output(f, call->work, at < last ? at : last);
      }
      v_store_columns(values + o, FOURIER_TILE, call->frames, FOURIER_COLUMNS, lanes);
    }
    const tarei_tile done = {
        .values = values, .ld = FOURIER_TILE, .rows = call->frames, .n0 = o0, .cols = tile};
    TAREI_K(tarei_epilogue)(&call->epilogue, &done);
  }
}

void TAREI_K(tarei_k_fourier_f32_16)(const tarei_fourier_frames *call) {
  const tarei_fourier *const f = call->transform;
  fourier_read(call);
  if (f->levels) {
    TAREI_K(fourier_points)(f, 0, f->n / 2, call->work, f->roots);
  }
  fourier_split(f, call->work);
  fourier_write(call);
}
