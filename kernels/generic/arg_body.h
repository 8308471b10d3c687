/* Where the largest or the smallest element lies. Instantiated once per ISA. */
#include <math.h>

#include "kernels/generic/v16.h"

enum { ARG_VECTORS = 4 }; /* that do not wait for one another */

/* v is nearer to the end that counts than a. */
TAREI_INLINE v16m arg_beats(v16 v, v16 a, const bool least) {
  return least ? v_less(v, a) : v_less(a, v);
}

TAREI_INLINE bool arg_wins(float v, float a, const bool least, const bool last) {
  const bool beats = least ? v < a : v > a;
  return last ? beats || v == a || isnan(v) : beats || (isnan(v) && !isnan(a));
}

/* The extreme of n floats; NaN if one is. */
TAREI_INLINE float arg_extreme_of_row(const float *x, size_t n, const bool least) {
  v16 best[ARG_VECTORS];
  v16m numbers = m_first(TAREI_LANES);
  float lane[TAREI_LANES], result = x[0];
  size_t i = 0;
  for (size_t q = 0; q < ARG_VECTORS; q++) {
    best[q] = v_set1(x[0]);
  }
  for (; i + ARG_VECTORS * TAREI_LANES <= n; i += ARG_VECTORS * TAREI_LANES) {
#pragma GCC unroll 4
    for (size_t q = 0; q < ARG_VECTORS; q++) {
      const v16 v = v_load(x + i + q * TAREI_LANES);
      best[q] = least ? v_min(v, best[q]) : v_max(v, best[q]);
      numbers = m_and(numbers, v_is_number(v));
    }
  }
  if (m_count(numbers) < TAREI_LANES) {
    return NAN;
  }
  const v16 low = least ? v_min(best[0], best[1]) : v_max(best[0], best[1]);
  const v16 high = least ? v_min(best[2], best[3]) : v_max(best[2], best[3]);
  v_store(lane, least ? v_min(low, high) : v_max(low, high));
  for (size_t l = 0; l < TAREI_LANES; l++) {
    result = arg_wins(lane[l], result, least, false) ? lane[l] : result;
  }
  for (; i < n; i++) {
    result = arg_wins(x[i], result, least, false) ? x[i] : result;
  }
  return result;
}

TAREI_INLINE bool arg_is(float v, float extreme) {
  return v == extreme || (isnan(extreme) && isnan(v));
}

/* The first element, or the last, that is the extreme: there is one. */
TAREI_INLINE size_t arg_first(const float *x, size_t n, float extreme, const bool least) {
  const v16 wanted = v_set1(extreme);
  size_t i = 0;
  for (; i + TAREI_LANES <= n; i += TAREI_LANES) {
    const v16 v = v_load(x + i);
    const v16m others = isnan(extreme) ? v_is_number(v) : arg_beats(wanted, v, least);
    if (m_count(others) < TAREI_LANES) {
      break;
    }
  }
  while (!arg_is(x[i], extreme)) {
    i++;
  }
  return i;
}

TAREI_INLINE size_t arg_last(const float *x, size_t n, float extreme, const bool least) {
  const v16 wanted = v_set1(extreme);
  for (; n > TAREI_LANES; n -= TAREI_LANES) {
    const v16 v = v_load(x + n - TAREI_LANES);
    const v16m others = isnan(extreme) ? v_is_number(v) : arg_beats(wanted, v, least);
    if (m_count(others) < TAREI_LANES) {
      break;
    }
  }
  while (!arg_is(x[n - 1], extreme)) {
    n--;
  }
  return n - 1;
}

TAREI_INLINE size_t arg_of_row(const float *x, size_t n, const bool least, bool last) {
  const float extreme = arg_extreme_of_row(x, n, least);
  return last ? arg_last(x, n, extreme, least) : arg_first(x, n, extreme, least);
}

size_t TAREI_K(tarei_k_arg_row_f32_16)(const float *x, size_t n, bool least, bool last) {
  return least ? arg_of_row(x, n, true, last) : arg_of_row(x, n, false, last);
}

/* Elements that do not count are on the near side of the number behind the bound. */
TAREI_INLINE size_t arg_beyond(const float *x, size_t i, size_t n, float bound, const bool least) {
  const float behind = nextafterf(bound, least ? -INFINITY : INFINITY);
  const v16 end = v_set1(behind);
  for (; i + TAREI_LANES <= n; i += TAREI_LANES) {
    const v16m stays = arg_beats(end, v_load(x + i), least);
    if (m_count(stays) < TAREI_LANES) {
#ifdef V16_HAS_RUN
      return i + m_run(stays); /* those that are set before the first that is not */
#else
      break;
#endif
    }
  }
  while (i < n && (least ? behind < x[i] : x[i] < behind)) {
    i++;
  }
  return i;
}

size_t TAREI_K(tarei_k_arg_beyond_f32_16)(const float *x, size_t first, size_t n, float bound,
                                         bool least) {
  return least ? arg_beyond(x, first, n, bound, true) : arg_beyond(x, first, n, bound, false);
}

/* --- lanes ------------------------------------------------------------------------------------ */
/* The same for one column, where there may be NaN. */
static int64_t TAREI_K(arg_of_column)(const tarei_arg_columns *c, size_t column) {
  const float *const x = c->x + column;
  size_t at = 0;
  for (size_t i = 1; i < c->n; i++) {
    at = arg_wins(x[i * c->stride], x[at * c->stride], c->least, c->last) ? i : at;
  }
  return (int64_t)at;
}

/* Sixteen columns from `first` on; false if one has a NaN. Their indices become lanes. */
TAREI_INLINE bool arg_of_columns(const tarei_arg_columns *c, size_t first, size_t n,
                                 const bool least, const bool last, int32_t *at) {
  v16 best = v_load_n(c->x + first, n);
  v16i index = i_set1(0);
  v16m numbers = v_is_number(best);
  for (size_t i = 1; i < c->n; i++) {
    const v16 v = v_load_n(c->x + i * c->stride + first, n);
    const v16m stays = arg_beats(best, v, least), wins = arg_beats(v, best, least);
    const v16i here = i_set1((int32_t)i);
    index = last ? i_select(stays, index, here) : i_select(wins, here, index);
    best = last ? v_select(stays, best, v) : v_select(wins, v, best);
    numbers = m_and(numbers, v_is_number(v));
  }
  v_store((float *)(void *)at, i_as_float(index));
  return m_count(numbers) == TAREI_LANES;
}

TAREI_INLINE void arg_columns_at(const tarei_arg_columns *c, size_t first, size_t n,
                                 const bool least, const bool last) {
  int32_t at[TAREI_LANES];
  const bool known = c->n <= INT32_MAX && arg_of_columns(c, first, n, least, last, at);
  for (size_t l = 0; l < n; l++) {
    c->out[first + l] = known ? at[l] : TAREI_K(arg_of_column)(c, first + l);
  }
}

TAREI_INLINE void arg_columns(const tarei_arg_columns *c, const bool least, const bool last) {
  size_t first = 0;
  for (; first + TAREI_LANES <= c->columns; first += TAREI_LANES) {
    arg_columns_at(c, first, TAREI_LANES, least, last);
  }
  if (first < c->columns) {
    arg_columns_at(c, first, c->columns - first, least, last);
  }
}

void TAREI_K(tarei_k_arg_columns_f32_16)(const tarei_arg_columns *c) {
  if (c->least) {
    c->last ? arg_columns(c, true, true) : arg_columns(c, true, false);
  } else {
    c->last ? arg_columns(c, false, true) : arg_columns(c, false, false);
  }
}
