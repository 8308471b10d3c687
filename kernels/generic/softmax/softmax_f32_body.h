/* Softmax of floats, many at a time: of rows, which are lanes where they are short, and of columns.
 * All add up in the order of reductions. Instantiated once per ISA. */
#include <math.h>

#include "kernels/generic/amax16.h"
#include "kernels/generic/math/math16.h"
#include "kernels/generic/row_sink.h"

enum {
  SHORT_ROW = TAREI_LANES,
  ROWS_AT_ONCE = 16,  /* the latency of one hides behind the others */
  ROWS_FLOATS = 4096, /* that stay in the first cache meanwhile */
};

/* exp(x - top), of which lanes from n on are zero. */
TAREI_INLINE v16 softmax_exp(const float *x, v16 top, size_t n) {
  return v_fill(v_exp_minus(v_sub(top, v_load_n(x, n))), n, 0.0f);
}

/* Lane by lane, the sum of n <= 16 vectors in the order of the lanes of v_sum. */
TAREI_INLINE v16 softmax_sum_of(const v16 *v, size_t n) {
  v16 s[TAREI_LANES];
#pragma GCC unroll 16
  for (size_t i = 0; i < TAREI_LANES; i++) {
    s[i] = i < n ? v[i] : v_set1(0.0f);
  }
#pragma GCC unroll 4
  for (size_t half = TAREI_LANES / 2; half > 0; half /= 2) {
#pragma GCC unroll 8
    for (size_t i = 0; i < half; i++) {
      s[i] = v_add(s[i], s[i + half]);
    }
  }
  return s[0];
}

/* --- short rows ------------------------------------------------------------------------------- */
/* At most sixteen rows. */
TAREI_INLINE void softmax_short(const float *x, size_t rows, size_t n, float *out) {
  enum { TURNED = 8 };
  v16 e[SHORT_ROW], top = v_set1(-INFINITY);
  for (size_t c = 0; c < n; c += TURNED) {
    v_load_columns(x + c, n, rows, n - c < TURNED ? n - c : TURNED, e + c);
  }
  for (size_t c = 0; c < n; c++) {
    top = v_max(e[c], top);
  }
  for (size_t c = 0; c < n; c++) {
    e[c] = v_exp_minus(v_sub(top, e[c]));
  }
  const v16 inverse = v_div(v_set1(1.0f), softmax_sum_of(e, n));
  for (size_t c = 0; c < n; c++) {
    e[c] = v_mul(e[c], inverse);
  }
  for (size_t c = 0; c < n; c += TURNED) {
    v_store_columns(out + c, n, rows, n - c < TURNED ? n - c : TURNED, e + c);
  }
}

/* --- rows ------------------------------------------------------------------------------------- */
TAREI_INLINE float softmax_exps(const float *x, float largest, size_t n, float *out) {
  const v16 top = v_set1(largest);
  v16 sum = v_set1(0.0f);
  for (size_t i = 0; i < n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, n);
    const v16 e = softmax_exp(x + i, top, left);
    v_store_n(out + i, e, left);
    sum = v_add(sum, e);
  }
  return v_sum(sum);
}

TAREI_INLINE void softmax_scale(float *out, float sum, size_t n) {
  const v16 inverse = v_set1(1.0f / sum);
  for (size_t i = 0; i < n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, n);
    v_store_n(out + i, v_mul(v_load_n(out + i, left), inverse), left);
  }
}

static void TAREI_K(softmax_some_rows)(const float *x, size_t rows, size_t n, float *out) {
  float top[ROWS_AT_ONCE], sum[ROWS_AT_ONCE];
  for (size_t r = 0; r < rows; r++) {
    top[r] = largest_element(x + r * n, n);
  }
  for (size_t r = 0; r < rows; r++) {
    sum[r] = softmax_exps(x + r * n, top[r], n, out + r * n);
  }
  for (size_t r = 0; r < rows; r++) {
    softmax_scale(out + r * n, sum[r], n);
  }
}

static size_t TAREI_K(softmax_rows_at_once)(size_t n) {
  const size_t near = ROWS_FLOATS / n;
  return n <= SHORT_ROW || near > ROWS_AT_ONCE ? ROWS_AT_ONCE : near ? near : 1;
}

static void TAREI_K(softmax_rows)(const tarei_softmax *s) {
  const size_t at_once = TAREI_K(softmax_rows_at_once)(s->n);
  for (size_t r = 0; r < s->m; r += at_once) {
    const size_t rows = s->m - r < at_once ? s->m - r : at_once;
    const float *const x = s->x + r * s->n;
    float *const out = s->out + r * s->n;
    if (s->n > SHORT_ROW) {
      TAREI_K(softmax_some_rows)(x, rows, s->n, out);
    } else if (rows == TAREI_LANES) {
      softmax_short(x, TAREI_LANES, s->n, out);
    } else {
      softmax_short(x, rows, s->n, out);
    }
  }
}

/* --- columns ---------------------------------------------------------------------------------- */
enum { COLUMN_VECTORS = 4 }; /* side by side: lines that are read together */

/* Some vectors of columns, of which a single one may have fewer lanes: element k of all joins sum k
 * mod 16. */
TAREI_INLINE void softmax_lanes(const float *x, size_t n, size_t step, const size_t vectors,
                                size_t lanes, float *out) {
  v16 sum[COLUMN_VECTORS][TAREI_LANES], top[COLUMN_VECTORS], inverse[COLUMN_VECTORS];
  for (size_t v = 0; v < vectors; v++) {
    top[v] = v_set1(-INFINITY);
    for (size_t i = 0; i < TAREI_LANES; i++) {
      sum[v][i] = v_set1(0.0f);
    }
  }
  for (size_t k = 0; k < n; k++) {
#pragma GCC unroll 4
    for (size_t v = 0; v < vectors; v++) {
      top[v] = v_max(v_load_n(x + k * step + v * TAREI_LANES, lanes), top[v]);
    }
  }
  for (size_t k = 0; k < n; k++) {
#pragma GCC unroll 4
    for (size_t v = 0; v < vectors; v++) {
      const size_t at = k * step + v * TAREI_LANES;
      const v16 e = v_exp_minus(v_sub(top[v], v_load_n(x + at, lanes)));
      v_store_n(out + at, e, lanes);
      sum[v][k % TAREI_LANES] = v_add(sum[v][k % TAREI_LANES], e);
    }
  }
  for (size_t v = 0; v < vectors; v++) {
    inverse[v] = v_div(v_set1(1.0f), softmax_sum_of(sum[v], TAREI_LANES));
  }
  for (size_t k = 0; k < n; k++) {
#pragma GCC unroll 4
    for (size_t v = 0; v < vectors; v++) {
      const size_t at = k * step + v * TAREI_LANES;
      v_store_n(out + at, v_mul(v_load_n(out + at, lanes), inverse[v]), lanes);
    }
  }
}

static void TAREI_K(softmax_columns)(const tarei_softmax *s) {
  enum { WIDE = COLUMN_VECTORS * TAREI_LANES };
  size_t i = 0;
  for (; i + WIDE <= s->m; i += WIDE) {
    softmax_lanes(s->x + i, s->n, s->step, COLUMN_VECTORS, TAREI_LANES, s->out + i);
  }
  for (; i + TAREI_LANES <= s->m; i += TAREI_LANES) {
    softmax_lanes(s->x + i, s->n, s->step, 1, TAREI_LANES, s->out + i);
  }
  if (i < s->m) {
    softmax_lanes(s->x + i, s->n, s->step, 1, s->m - i, s->out + i);
  }
}

void TAREI_K(tarei_k_softmax_f32_16)(const tarei_softmax *given) {
  const tarei_softmax s = *given;
  if (s.step == 1) {
    TAREI_K(softmax_rows)(&s);
  } else {
    TAREI_K(softmax_columns)(&s);
  }
}
