#include "calib/accumulator.h"

#include <math.h>
#include <string.h>

#include "base/half.h"

/* Four magnitudes as integers, whose order is that of the floats. */
typedef int32_t lanes __attribute__((vector_size(16)));
enum { LANES = 4 };

#define MAX_SUM ((int64_t)1 << 55) /* room to add as many buckets as there can be */

enum {
  KERNEL_ROW = 16, /* narrower rows are not worth a vector each */
  BLOCK = TAREI_OBSERVE_MOST,
};

void tarei_accumulator_init(tarei_accumulator *const a) {
  *a = (tarei_accumulator){.min = INFINITY, .max = -INFINITY};
  tarei_histogram_init(&a->histogram);
  tarei_origins_init(&a->origins);
}

void tarei_accumulator_fini(tarei_accumulator *const a) {
  tarei_histogram_fini(&a->histogram);
  tarei_accumulator_init(a);
}

/* Rows that lie one behind the other, and where they are counted by magnitude. */
typedef struct block {
  const float *x;
  int64_t n_rows, n_columns;
  int64_t *rows;
} block;

/* 0 for an empty range */
static float accumulator_larger_magnitude(const float min, const float max) {
  return max < min ? 0.0f : fmaxf(fabsf(min), fabsf(max));
}

/* Zero has one form, so that the extremes do not tell the order of 0 and -0. */
static float plain_zero(const float x) {
  return x == 0 ? 0.0f : x;
}

/* A row with NaN or infinite values. */
static void count_odd_row(int64_t *const rows, const float *const x, const int64_t n) {
  uint32_t amax = 0;
  int64_t n_finite = 0;
  for (int64_t i = 0; i < n; i++) {
    const uint32_t magnitude = tarei_float_to_bits(x[i]) & 0x7fffffffu;
    const bool finite = magnitude < 0x7f800000u;
    n_finite += finite;
    amax = finite && magnitude > amax ? magnitude : amax;
  }
  rows[n_finite ? amax >> 23 : TAREI_ROW_BIN_NOT_FINITE]++;
}

static lanes accumulator_larger(const lanes m, const float *const x) {
  lanes bits;
  memcpy(&bits, x, sizeof bits);
  bits &= 0x7fffffff;
  const lanes mask = bits > m;
  return (bits & mask) | (m & ~mask);
}

/* A row of finite values; the last step may overlap the one before. */
static void count_finite_row(int64_t *const rows, const float *const x, const int64_t n) {
  lanes m = {0};
  for (int64_t i = 0; i + LANES <= n; i += LANES) {
    m = accumulator_larger(m, x + i);
  }
  if (n >= LANES) {
    m = accumulator_larger(m, x + n - LANES);
  } else {
    float rest[LANES] = {0};
    memcpy(rest, x, (size_t)n * sizeof *rest);
    m = accumulator_larger(m, rest);
  }
  const int32_t p = m[0] > m[1] ? m[0] : m[1], q = m[2] > m[3] ? m[2] : m[3];
  rows[(p > q ? p : q) >> 23]++;
}

static void count_rows(const block *const b, const bool finite) {
  for (int64_t r = 0; r < b->n_rows; r++) {
    (finite ? count_finite_row : count_odd_row)(b->rows, b->x + r * b->n_columns, b->n_columns);
  }
}

/* The frequent case: the bins hold the values. *fits is false, with nothing done, when they do not.
 */
static bool add_fitting(tarei_accumulator *const a, const tarei_kernels *const kernels,
                        const block *const b, bool *const fits) {
  const bool narrow = b->n_columns < KERNEL_ROW;
  tarei_observe o = {.x = b->x,
                     .n_rows = (size_t)(narrow ? 1 : b->n_rows),
                     .n_columns = (size_t)(narrow ? b->n_rows * b->n_columns : b->n_columns),
                     .rows = narrow ? NULL : b->rows,
                     .min = a->min,
                     .max = a->max};
  const bool ok = tarei_histogram_observe(&a->histogram, kernels, &o, fits);
  if (!ok || !*fits) {
    return ok;
  }
  if (narrow) {
    count_rows(b, true);
  }
  a->min = o.min;
  a->max = o.max;
  a->count += b->n_rows * b->n_columns;
  return true;
}

/* Looks for the extremes first, so that the bins can grow. */
static bool add_any(tarei_accumulator *const a, const tarei_kernels *const kernels,
                    const block *const b) {
  const int64_t n = b->n_rows * b->n_columns;
  tarei_minmax m = {.min = INFINITY, .max = -INFINITY};
  kernels->minmax(b->x, (size_t)n, &m);
  if (m.min <= m.max) {
    a->min = plain_zero(m.min < a->min ? m.min : a->min);
    a->max = plain_zero(m.max > a->max ? m.max : a->max);
  }
  a->count += n;
  a->n_nan += (int64_t)m.n_nan;
  a->n_inf += (int64_t)m.n_inf;
  const int64_t n_finite = n - (int64_t)(m.n_nan + m.n_inf);
  count_rows(b, n_finite == n);
  return tarei_histogram_add(&a->histogram, kernels, b->x, (size_t)n, n_finite,
                             accumulator_larger_magnitude(m.min, m.max));
}

static bool add_block(tarei_accumulator *const a, const tarei_kernels *const kernels,
                      const block *const b) {
  bool fits = false;
  return add_fitting(a, kernels, b, &fits) && (fits || add_any(a, kernels, b));
}

/* Part by part; the largest of the parts' magnitudes is that of the row. */
static bool add_long_row(tarei_accumulator *const a, const tarei_kernels *const kernels,
                         const float *const x, const int64_t n_columns) {
  int64_t parts[TAREI_ROW_BINS] = {0};
  for (int64_t i = 0; i < n_columns; i += BLOCK) {
    const int64_t n = n_columns - i < BLOCK ? n_columns - i : BLOCK;
    if (!add_block(a, kernels, &(block){x + i, 1, n, parts})) {
      return false;
    }
  }
  int bin = TAREI_ROW_BIN_NOT_FINITE - 1;
  while (bin >= 0 && parts[bin] == 0) {
    bin--;
  }
  a->rows[bin < 0 ? TAREI_ROW_BIN_NOT_FINITE : bin]++;
  return true;
}

bool tarei_accumulator_add_rows(tarei_accumulator *const a, const tarei_kernels *const kernels,
                                const float *const x, const int64_t n_rows,
                                const int64_t n_columns) {
  if (n_columns == 0) {
    return true;
  }
  const int64_t step = n_columns < BLOCK ? BLOCK / n_columns : 1;
  for (int64_t r = 0; r < n_rows; r += step) {
    const int64_t n = n_rows - r < step ? n_rows - r : step;
    const float *const rows = x + r * n_columns;
    const bool ok = n_columns > BLOCK
                        ? add_long_row(a, kernels, rows, n_columns)
                        : add_block(a, kernels, &(block){rows, n, n_columns, a->rows});
    if (!ok) {
      return false;
    }
  }
  return true;
}

tarei_accumulator_range tarei_accumulator_begin(tarei_accumulator *const a) {
  const tarei_accumulator_range range = {a->min, a->max};
  a->min = INFINITY;
  a->max = -INFINITY;
  return range;
}

void tarei_accumulator_end(tarei_accumulator *const a, const tarei_accumulator_range range,
                           const tarei_sample_hash sample) {
  tarei_origins_note(&a->origins, sample, a->min, a->max);
  a->min = fminf(a->min, range.min);
  a->max = fmaxf(a->max, range.max);
}

bool tarei_accumulator_merge(tarei_accumulator *const a, const tarei_accumulator *const other) {
  if (!tarei_histogram_merge(&a->histogram, &other->histogram)) {
    return false;
  }
  a->n_samples += other->n_samples;
  a->count += other->count;
  a->n_nan += other->n_nan;
  a->n_inf += other->n_inf;
  a->min = other->min < a->min ? other->min : a->min;
  a->max = other->max > a->max ? other->max : a->max;
  for (int i = 0; i < TAREI_ROW_BINS; i++) {
    a->rows[i] += other->rows[i];
  }
  tarei_origins_merge(&a->origins, &other->origins);
  return true;
}

float tarei_accumulator_amax(const tarei_accumulator *const a) {
  return accumulator_larger_magnitude(a->min, a->max);
}

/* Sum of non-negative counts; -1 when one is negative or the sum overflows. */
static int64_t sum_counts(const int64_t *const counts, const int n) {
  int64_t sum = 0;
  for (int i = 0; i < n; i++) {
    if (counts[i] < 0 || __builtin_add_overflow(sum, counts[i], &sum)) {
      return -1;
    }
  }
  return sum;
}

static bool histogram_is_sound(const tarei_histogram *const h, const float amax,
                               const int64_t n_finite) {
  if (h->exponent == TAREI_HISTOGRAM_NO_EXPONENT) {
    return amax == 0 && h->zeros == n_finite;
  }
  return amax > 0 && h->zeros == 0 && h->exponent == tarei_histogram_exponent(amax) &&
         tarei_histogram_total(h) == n_finite;
}

bool tarei_accumulator_is_sound(const tarei_accumulator *const a) {
  const int64_t parts[] = {a->count, a->n_nan, a->n_inf, a->n_samples};
  const int64_t sum = sum_counts(parts, 4);
  if (sum < 0 || sum > MAX_SUM || a->n_nan > a->count - a->n_inf) {
    return false;
  }
  const int64_t n_finite = a->count - a->n_nan - a->n_inf;
  const int64_t n_rows = sum_counts(a->rows, TAREI_ROW_BINS);
  const bool empty = a->min == INFINITY && a->max == -INFINITY;
  const bool ranged = isfinite(a->min) && isfinite(a->max) && a->min <= a->max;
  return (n_finite ? ranged : empty) && n_rows >= 0 && n_rows <= a->count &&
         (a->count == 0) == (n_rows == 0) &&
         histogram_is_sound(&a->histogram, tarei_accumulator_amax(a), n_finite);
}
