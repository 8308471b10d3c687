/* Windows to bytes, each by its own largest magnitude. Instantiated once per ISA.
 *
 * Windows overlap, so that most of their magnitudes were looked at before: units, as long as the
 * longest step that both windows and their parts are multiples of, are compared once for all parts,
 * and a window takes the largest of its units. */
#include "kernels/generic/row_bytes16.h"

enum { MOST_UNITS = 256, MOST_WINDOW_PIECES = 256, LEAST_WINDOWS = 4 };

typedef struct unit_walk {
  size_t unit, apart; /* elements; from one to the next */
  size_t step, units; /* from window to window, of a window */
  size_t windows;     /* at a time */
} unit_walk;

TAREI_INLINE size_t unit_between(size_t a, size_t b) {
  while (b > 0) {
    const size_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

TAREI_INLINE size_t most_windows(size_t step, size_t units) {
  return units > MOST_UNITS ? 0 : ((MOST_UNITS - units) / step + 1) / TAREI_LANES * TAREI_LANES;
}

/* Parts that do not overlap, or consist of too many units, are one each. */
TAREI_INLINE unit_walk unit_walk_of(const tarei_window_rows *w) {
  unit_walk u = {.unit = w->part, .apart = w->ldx, .step = 1, .units = 1, .windows = MOST_UNITS};
  if (w->ldx > 0 && w->ldx < w->part) {
    const size_t unit = unit_between(w->part, w->ldx);
    const size_t step = w->ldx / unit, units = w->part / unit, most = most_windows(step, units);
    u = most > 0 ? (unit_walk){unit, unit, step, units, most} : u;
  }
  return u;
}

/* Of the elements at x in each part: so many vectors, the last of `last` elements; NaN counts as
 * infinite. */
TAREI_INLINE v16i magnitudes_of_parts(const tarei_window_rows *w, const float *x,
                                      const size_t vectors, size_t last) {
  v16i largest = i_set1(0);
  for (size_t p = 0; p < w->parts; p++) {
    const float *const part = x + w->at[p];
    for (size_t q = 0; q + 1 < vectors; q++) {
      largest = larger_magnitude(largest, v_load(part + q * TAREI_LANES));
    }
    largest = larger_magnitude(largest, v_load_n(part + (vectors - 1) * TAREI_LANES, last));
  }
  return v_bits(v_min(i_as_float(largest), v_set1(INFINITY)));
}

TAREI_INLINE v16i magnitudes_by_units(const tarei_window_rows *w, const unit_walk *u,
                                      const float *x, size_t n, const size_t vectors) {
  const size_t last = u->unit - (vectors - 1) * TAREI_LANES;
  v16i sizes[TAREI_LANES];
  for (size_t i = 0; i < TAREI_LANES; i++) {
    sizes[i] = i < n ? magnitudes_of_parts(w, x + i * u->apart, vectors, last) : i_set1(0);
  }
  return i_max_of_each(sizes);
}

TAREI_INLINE v16i magnitudes_of_units(const tarei_window_rows *w, const unit_walk *u,
                                      const float *x, size_t n) {
  const size_t vectors = (u->unit + TAREI_LANES - 1) / TAREI_LANES;
  if (u->apart == 1 && u->unit == 1) {
    return magnitudes_of_parts(w, x, 1, n);
  }
  return vectors == 1   ? magnitudes_by_units(w, u, x, n, 1)
         : vectors == 2 ? magnitudes_by_units(w, u, x, n, 2)
         : vectors == 3 ? magnitudes_by_units(w, u, x, n, 3)
                        : magnitudes_by_units(w, u, x, n, vectors);
}

/* The bits of n of them, and zeros as far as sixteen windows are read. */
TAREI_INLINE void put_magnitudes(const tarei_window_rows *w, const unit_walk *u, const float *x,
                                 size_t n, float *units) {
  size_t i = 0;
  for (; i < n; i += TAREI_LANES) {
    v_store(units + i, i_as_float(magnitudes_of_units(w, u, x + i * u->apart, lanes_left(i, n))));
  }
  v_store(units + i, v_set1(0.0f));
}

/* Of at most sixteen windows. */
TAREI_INLINE v16i magnitudes_of_windows(const unit_walk *u, const float *units, size_t n) {
  v16i largest = i_set1(0);
  for (size_t i = 0; i < u->units; i++) {
    if (u->step == 1) {
      largest = i_max(largest, v_bits(v_load(units + i)));
    } else {
      float each[TAREI_LANES] = {0};
      for (size_t k = 0; k < n; k++) {
        each[k] = units[k * u->step + i];
      }
      largest = i_max(largest, v_bits(v_load(each)));
    }
  }
  return largest;
}

/* --- bytes ------------------------------------------------------------------------------------ */
/* The elements of a window as pieces of a vector, or of half of one, by their distances from its
 * first: four vectors follow each other at a time, whatever parts they are of. */
typedef struct window_pieces {
  size_t length; /* 0: parts consist of none */
  size_t at[MOST_WINDOW_PIECES];
} window_pieces;

TAREI_INLINE void window_pieces_of(const tarei_window_rows *w, window_pieces *p) {
  const size_t k = w->parts * w->part, half = TAREI_LANES / 2;
  const bool fits = w->part % half == 0 && k / half + WHOLE / half <= MOST_WINDOW_PIECES;
  p->length = !fits ? 0 : w->part % TAREI_LANES ? half : TAREI_LANES;
  size_t n = 0;
  for (size_t i = 0; fits && i < w->parts; i++) {
    for (size_t from = 0; from < w->part; from += p->length) {
      p->at[n++] = w->at[i] + from;
    }
  }
  for (size_t i = 0; fits && i < WHOLE / half; i++) {
    p->at[n++] = 0; /* of those behind the last nothing is stored */
  }
}

/* The first n of four vectors, of which `vectors` hold all of these. */
TAREI_INLINE void put_group(const size_t *at, const float *x, v16 inv_scale, uint8_t *out, size_t n,
                            const size_t vectors, const int32_t zero, const bool halves) {
  v16i steps[4] = {i_set1(0), i_set1(0), i_set1(0), i_set1(0)};
#pragma GCC unroll 4
  for (size_t q = 0; q < vectors; q++) {
    const v16 values = halves ? v_load_halves(x + at[2 * q], x + at[2 * q + 1]) : v_load(x + at[q]);
    steps[q] = v_nearest(v_mul(values, inv_scale));
  }
  put_steps(out, steps, n, zero);
}

TAREI_INLINE void put_pieces(const window_pieces *p, const float *x, v16 inv_scale, uint8_t *out,
                             size_t k, int32_t zero, const bool halves) {
  const size_t *at = p->at;
  for (; k >= WHOLE; k -= WHOLE) {
    put_group(at, x, inv_scale, out, WHOLE, 4, zero, halves);
    at += halves ? 8 : 4;
    out += WHOLE;
  }
  if (k > 2 * TAREI_LANES) {
    put_group(at, x, inv_scale, out, k, 4, zero, halves);
  } else if (k > TAREI_LANES) {
    put_group(at, x, inv_scale, out, k, 2, zero, halves);
  } else if (k > 0) {
    put_group(at, x, inv_scale, out, k, 1, zero, halves);
  }
}

TAREI_INLINE void put_window(const tarei_window_rows *w, const window_pieces *p, const float *x,
                             v16 inv_scale, uint8_t *out, const int32_t zero) {
  if (p->length == TAREI_LANES) {
    put_pieces(p, x, inv_scale, out, w->parts * w->part, zero, false);
  } else if (p->length > 0) {
    put_pieces(p, x, inv_scale, out, w->parts * w->part, zero, true);
  } else {
    for (size_t i = 0; i < w->parts; i++) {
      put_finite(x + w->at[i], w->part, inv_scale, out + i * w->part, zero);
    }
  }
}

static float TAREI_K(quantize_windows_put_any)(tarei_window_rows w, const float *x, uint8_t *out) {
  float amax = 0;
  for (size_t p = 0; p < w.parts; p++) {
    const float of_part = finite_amax(x + w.at[p], w.part);
    amax = of_part > amax ? of_part : amax;
  }
  const float scale = row_scale_of(amax, w.zero_point);
  for (size_t p = 0; p < w.parts; p++) {
    put_saturated(x + w.at[p], w.part, scale, out + p * w.part, w.zero_point);
  }
  return scale;
}

/* At most sixteen windows from `first` on. */
TAREI_INLINE void put_windows(const tarei_window_rows *w, const window_pieces *p, size_t first,
                              size_t n, v16i magnitudes, const int32_t zero) {
  float inv_scales[TAREI_LANES], sizes[TAREI_LANES];
  const v16 scale = row_scales_of(magnitudes, zero);
  v_store_n(w->scales + first, scale, n);
  v_store(inv_scales, v_div(v_set1(1.0f), scale));
  v_store(sizes, i_as_float(magnitudes));
  for (size_t i = 0; i < n; i++) {
    const float *const x = w->x + (first + i) * w->ldx;
    uint8_t *const out = w->out + (first + i) * w->ldo;
    if (sizes[i] < INFINITY) {
      put_window(w, p, x, v_set1(inv_scales[i]), out, zero);
    } else {
      w->scales[first + i] = TAREI_K(quantize_windows_put_any)(*w, x, out);
    }
  }
}

TAREI_INLINE void quantize_windows(const tarei_window_rows *rows, const int32_t zero) {
  if (rows->parts == 1 && (rows->part <= WHOLE || rows->m < LEAST_WINDOWS)) {
    /* so short, or so few, that units would not save looks */
    TAREI_K(tarei_k_quantize_rows_f32u8_16)
    (rows->x, rows->ldx, rows->m, rows->part, rows->out, rows->ldo, rows->scales, zero);
    return;
  }
  const tarei_window_rows w = *rows; /* a copy: stores of bytes must not make it be read again */
  const unit_walk u = unit_walk_of(&w);
  window_pieces pieces;
  window_pieces_of(&w, &pieces);
  float units[MOST_UNITS + 2 * TAREI_LANES];
  for (size_t first = 0; first < w.m; first += u.windows) {
    const size_t n = w.m - first < u.windows ? w.m - first : u.windows;
    put_magnitudes(&w, &u, w.x + first * w.ldx, (n - 1) * u.step + u.units, units);
    for (size_t i = 0; i < n; i += TAREI_LANES) {
      const size_t left = lanes_left(i, n);
      put_windows(&w, &pieces, first + i, left, magnitudes_of_windows(&u, units + i * u.step, left),
                  zero);
    }
  }
}

void TAREI_K(tarei_k_quantize_windows_f32u8_16)(const tarei_window_rows *rows) {
  if (rows->zero_point == 0) {
    quantize_windows(rows, 0);
  } else {
    quantize_windows(rows, 128);
  }
}
