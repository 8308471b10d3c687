#include "calib/eval/error_sums.h"

#include <math.h>
#include <string.h>

enum { LANES = 8 }; /* independent sums, which vectorize without a change of the result */

typedef struct error_lanes {
  double abs[LANES], diff2[LANES], got2[LANES], want2[LANES], dot[LANES], max_abs[LANES];
} error_lanes;

/* Of finite values. */
static inline void error_lanes_add(error_lanes *const l, const int k, const double got,
                                   const double want) {
  const double diff = got - want, size = fabs(diff);
  l->abs[k] += size;
  l->diff2[k] += diff * diff;
  l->got2[k] += got * got;
  l->want2[k] += want * want;
  l->dot[k] += got * want;
  l->max_abs[k] = size > l->max_abs[k] ? size : l->max_abs[k];
}

static void error_lanes_fold(const error_lanes *const l, tarei_error_sums *const sums) {
  for (int k = 0; k < LANES; k++) {
    sums->abs += l->abs[k];
    sums->diff2 += l->diff2[k];
    sums->got2 += l->got2[k];
    sums->want2 += l->want2[k];
    sums->dot += l->dot[k];
    sums->max_abs = fmax(sums->max_abs, l->max_abs[k]);
  }
}

static bool all_finite(const float *const x, const int n) {
  float zeros[LANES] = {0};
  int i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (int k = 0; k < LANES; k++) {
      zeros[k] += x[i + k] * 0.0F; /* NaN for what is not finite */
    }
  }
  float zero = 0;
  for (; i < n; i++) {
    zero += x[i] * 0.0F;
  }
  for (int k = 0; k < LANES; k++) {
    zero += zeros[k];
  }
  return zero == 0;
}

/* Equal values count as equal even where their difference is not a number (both infinite). */
static void take_any(tarei_error_sums *const sums, const float got, const float want) {
  sums->nans += isnan(got);
  if (isfinite(got) && isfinite(want)) {
    error_lanes l = {{0}};
    error_lanes_add(&l, 0, got, want);
    error_lanes_fold(&l, sums);
  } else if (got != want && !(isnan(got) && isnan(want))) {
    sums->abs = sums->diff2 = sums->max_abs = INFINITY;
  }
}

static void take_finite(tarei_error_sums *const sums, const float *const got,
                        const float *const want, const int n) {
  error_lanes l = {{0}};
  int i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (int k = 0; k < LANES; k++) {
      error_lanes_add(&l, k, got[i + k], want[i + k]);
    }
  }
  for (; i < n; i++) {
    error_lanes_add(&l, 0, got[i], want[i]);
  }
  error_lanes_fold(&l, sums);
}

static double error_of(const float got, const float want) {
  const bool same = got == want || (isnan(got) && isnan(want));
  const double size = same ? 0 : fabs((double)got - want);
  return isnan(size) ? INFINITY : size;
}

enum { LEAST_EXPONENT = -40, PART_BITS = 5, MANTISSA_BITS = 52, BIAS = 1023 };
_Static_assert(1 << PART_BITS == TAREI_ERROR_PARTS, "parts of a power of two");

/* Exponent and first bits of the mantissa: the first and the last bin also take what is smaller and
 * larger. */
static int bin_of(const double size) {
  uint64_t bits;
  memcpy(&bits, &size, sizeof bits);
  const int64_t part = (int64_t)(bits >> (MANTISSA_BITS - PART_BITS)) -
                       ((int64_t)(BIAS + LEAST_EXPONENT) << PART_BITS);
  const int64_t last = TAREI_ERROR_FINE - 2;
  return size == 0 ? 0 : 1 + (int)(part < 0 ? 0 : part < last ? part : last);
}

/* What the errors of a bin, 1 or later, are below. */
static double end_of_bin(const int bin) {
  const int part = (bin - 1) % TAREI_ERROR_PARTS, octave = (bin - 1) / TAREI_ERROR_PARTS;
  return ldexp(1 + (part + 1.0) / TAREI_ERROR_PARTS, octave + LEAST_EXPONENT);
}

static void count_errors(tarei_error_sums *const sums, const float *const got,
                         const float *const want, const int n) {
  for (int i = 0; i < n; i++) {
    sums->bins[bin_of(error_of(got[i], want[i]))]++;
  }
}

static void count_exceeding(tarei_error_sums *const sums, const tarei_error_bounds *const bounds,
                            const float *const got, const float *const want, const int n) {
  for (int i = 0; i < n; i++) {
    const double most = bounds->atol + (bounds->rtol > 0 ? bounds->rtol * fabs(want[i]) : 0);
    sums->exceeding += !(error_of(got[i], want[i]) <= most);
  }
}

void tarei_error_sums_take(tarei_error_sums *const sums, const tarei_error_bounds *const bounds,
                           const float *const got, const float *const want, const int n) {
  sums->values += n;
  if (all_finite(got, n) && all_finite(want, n)) {
    take_finite(sums, got, want, n);
  } else {
    for (int i = 0; i < n; i++) {
      take_any(sums, got[i], want[i]);
    }
  }
  count_errors(sums, got, want, n);
  if (bounds->set) {
    count_exceeding(sums, bounds, got, want, n);
  }
}

void tarei_error_sums_add(tarei_error_sums *const into, const tarei_error_sums *const from) {
  into->values += from->values;
  into->exceeding += from->exceeding;
  into->nans += from->nans;
  into->abs += from->abs;
  into->diff2 += from->diff2;
  into->got2 += from->got2;
  into->want2 += from->want2;
  into->dot += from->dot;
  into->max_abs = fmax(into->max_abs, from->max_abs);
  for (int b = 0; b < TAREI_ERROR_FINE; b++) {
    into->bins[b] += from->bins[b];
  }
}

void tarei_error_sums_histogram(const tarei_error_sums *const sums, int64_t bins[TARE_ERROR_BINS]) {
  memset(bins, 0, TARE_ERROR_BINS * sizeof *bins);
  bins[0] = sums->bins[0];
  for (int b = 1; b < TAREI_ERROR_FINE; b++) {
    bins[1 + (b - 1) / TAREI_ERROR_PARTS] += sums->bins[b];
  }
}

/* The end of the first bin up to which there are so many of a hundred values, or the largest error.
 */
static double percentile_of(const tarei_error_sums *const sums, const int percent) {
  const int64_t wanted = sums->values - sums->values / 100 * (100 - percent) -
                         sums->values % 100 * (100 - percent) / 100;
  int64_t below = 0;
  int b = 0;
  for (; b < TAREI_ERROR_FINE; b++) {
    below += sums->bins[b];
    if (below >= wanted) {
      break;
    }
  }
  return b == 0                      ? 0
         : b >= TAREI_ERROR_FINE - 1 ? sums->max_abs
                                     : fmin(end_of_bin(b), sums->max_abs);
}

double tarei_sqnr_db(const double signal, const double noise) {
  return noise == 0 ? INFINITY : 10 * log10(signal / noise);
}

static double cosine_of(const tarei_error_sums *const sums) {
  const double norms = sqrt(sums->got2) * sqrt(sums->want2);
  return sums->diff2 == 0 ? 1 : norms > 0 ? sums->dot / norms : 0;
}

void tarei_error_sums_conclude(const tarei_error_sums *const sums, tare_tensor_error *const out) {
  const bool any = sums->values > 0;
  const double n = (double)sums->values;
  out->values = sums->values;
  out->exceeding = sums->exceeding;
  out->nans = sums->nans;
  out->max_abs = any ? sums->max_abs : NAN;
  out->mean_abs = any ? sums->abs / n : NAN;
  out->rms = any ? sqrt(sums->diff2 / n) : NAN;
  out->sqnr_db = any ? tarei_sqnr_db(sums->want2, sums->diff2) : NAN;
  out->cosine = any ? cosine_of(sums) : NAN;
  out->p50_abs = any ? percentile_of(sums, 50) : NAN;
  out->p90_abs = any ? percentile_of(sums, 90) : NAN;
  out->p99_abs = any ? percentile_of(sums, 99) : NAN;
}
