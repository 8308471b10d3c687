#include "calib/histogram.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"

enum {
  BINS = TAREI_HISTOGRAM_BINS,
  PIECE = 4096, /* elements that are looked at one by one */
};

void tarei_histogram_init(tarei_histogram *const h) {
  *h = (tarei_histogram){.exponent = TAREI_HISTOGRAM_NO_EXPONENT};
}

void tarei_histogram_fini(tarei_histogram *const h) {
  free(h->positive);
  tarei_histogram_init(h);
}

void tarei_histogram_reset(tarei_histogram *const h) {
  h->exponent = TAREI_HISTOGRAM_NO_EXPONENT;
  h->zeros = 0;
  if (h->positive) {
    memset(h->positive, 0, 2 * BINS * sizeof *h->positive);
  }
}

int32_t tarei_histogram_exponent(const float amax) {
  assert(amax > 0 && isfinite(amax));
  int power = 0;
  (void)frexpf(amax, &power); /* amax < 2^power */
  const int32_t exponent = power - TAREI_HISTOGRAM_BITS;
  return exponent < TAREI_HISTOGRAM_MIN_EXPONENT ? TAREI_HISTOGRAM_MIN_EXPONENT : exponent;
}

static void merge_neighbours(int64_t *const bins, const int32_t steps) {
  const int shift = steps < TAREI_HISTOGRAM_BITS ? (int)steps : TAREI_HISTOGRAM_BITS;
  for (int i = 1; i < BINS; i++) {
    const int64_t n = bins[i];
    bins[i] = 0;
    bins[i >> shift] += n;
  }
}

static void grow_to(tarei_histogram *const h, const int32_t exponent) {
  if (exponent > h->exponent) {
    merge_neighbours(h->positive, exponent - h->exponent);
    merge_neighbours(h->negative, exponent - h->exponent);
    h->exponent = exponent;
  }
}

static bool start_at(tarei_histogram *const h, const int32_t exponent) {
  if (!h->positive) {
    h->positive = tarei_calloc(2 * BINS, sizeof *h->positive);
    if (!h->positive) {
      return false;
    }
    h->negative = h->positive + BINS;
  }
  h->exponent = exponent;
  h->positive[0] = h->zeros;
  h->zeros = 0;
  return true;
}

static bool reserve_exponent(tarei_histogram *const h, const int32_t exponent) {
  if (h->exponent == TAREI_HISTOGRAM_NO_EXPONENT) {
    return start_at(h, exponent);
  }
  grow_to(h, exponent);
  return true;
}

bool tarei_histogram_reserve(tarei_histogram *const h, const float amax) {
  return reserve_exponent(h, tarei_histogram_exponent(amax));
}

static void add_zeros(tarei_histogram *const h, const int64_t n) {
  if (h->exponent == TAREI_HISTOGRAM_NO_EXPONENT) {
    h->zeros += n;
  } else {
    h->positive[0] += n;
  }
}

static void observe(const tarei_histogram *const h, const tarei_kernels *const kernels,
                    const float *const x, const size_t n) {
  tarei_observe o = {.x = x,
                     .n_rows = 1,
                     .n_columns = n,
                     .exponent = h->exponent,
                     .bins = BINS,
                     .positive = h->positive,
                     .negative = h->negative};
  const bool fits = kernels->observe(&o);
  assert(fits);
  (void)fits;
}

/* NaN and infinite values are counted as zeros, which are then taken back. */
static void observe_finite(const tarei_histogram *const h, const tarei_kernels *const kernels,
                           const float *const x, const size_t n) {
  float clean[PIECE];
  int64_t n_odd = 0;
  for (size_t i = 0; i < n; i++) {
    const bool finite = fabsf(x[i]) < INFINITY;
    clean[i] = finite ? x[i] : 0.0f;
    n_odd += !finite;
  }
  observe(h, kernels, clean, n);
  h->positive[0] -= n_odd;
}

bool tarei_histogram_add(tarei_histogram *const h, const tarei_kernels *const kernels,
                         const float *const x, const size_t n, const int64_t n_finite,
                         const float amax) {
  if (n_finite == 0 || amax == 0) {
    add_zeros(h, n_finite);
    return true;
  }
  if (!tarei_histogram_reserve(h, amax)) {
    return false;
  }
  const bool finite = n_finite == (int64_t)n;
  const size_t most = finite ? TAREI_OBSERVE_MOST : PIECE;
  for (size_t i = 0; i < n; i += most) {
    (finite ? observe : observe_finite)(h, kernels, x + i, n - i < most ? n - i : most);
  }
  return true;
}

bool tarei_histogram_merge(tarei_histogram *const h, const tarei_histogram *const other) {
  if (other->exponent == TAREI_HISTOGRAM_NO_EXPONENT) {
    add_zeros(h, other->zeros);
    return true;
  }
  if (!reserve_exponent(h, other->exponent)) {
    return false;
  }
  const int32_t steps = h->exponent - other->exponent;
  if (steps == 0) { /* the frequent case, which vectorizes */
    for (int i = 0; i < 2 * BINS; i++) {
      h->positive[i] += other->positive[i];
    }
    return true;
  }
  const int shift = steps < TAREI_HISTOGRAM_BITS ? (int)steps : TAREI_HISTOGRAM_BITS;
  for (int i = 0; i < BINS; i++) {
    h->positive[i >> shift] += other->positive[i];
    h->negative[i >> shift] += other->negative[i];
  }
  return true;
}

void tarei_histogram_magnitudes(const tarei_histogram *const h, int64_t *const bins) {
  memset(bins, 0, BINS * sizeof *bins);
  if (h->exponent == TAREI_HISTOGRAM_NO_EXPONENT) {
    return;
  }
  for (int i = 0; i < BINS; i++) {
    bins[i] = h->positive[i] + h->negative[i];
  }
}

int64_t tarei_histogram_total(const tarei_histogram *const h) {
  int64_t total = h->zeros;
  if (h->exponent != TAREI_HISTOGRAM_NO_EXPONENT) {
    for (int i = 0; i < BINS; i++) {
      total += h->positive[i] + h->negative[i];
    }
  }
  return total;
}
