#include "calib/eval/error_sums.h"

#include <math.h>
#include <string.h>

static double error_of(const double got, const double want) {
  const bool same = got == want || (isnan(got) && isnan(want));
  const double size = same ? 0 : fabs(got - want);
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

void tarei_error_sums_take(tarei_error_sums *const sums, const tarei_error_bounds *const bounds,
                           const tarei_measured *const b, const double constants) {
  tarei_measure_take(&sums->tally, b, constants);
  for (int i = 0; i < b->n; i++) {
    const double got = b->got[i], want = b->want[i], size = error_of(got, want);
    const double most = bounds->atol + (bounds->rtol > 0 ? bounds->rtol * fabs(want) : 0);
    const tarei_standing standing =
        tarei_measure_standing(got, want, b->muted ? &b->muted[i] : NULL, constants);
    sums->nans += isnan(got);
    sums->exceeding += bounds->set && !(size <= most);
    if (standing != TAREI_UNDEFINED) {
      sums->abs += size;
      sums->bins[bin_of(size)]++;
    }
  }
}

void tarei_error_sums_add(tarei_error_sums *const into, const tarei_error_sums *const from) {
  tarei_measure_add(&into->tally, &from->tally);
  into->exceeding += from->exceeding;
  into->nans += from->nans;
  into->abs += from->abs;
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

static int64_t compared(const tarei_error_sums *const sums) {
  return sums->tally.values + sums->tally.constant;
}

/* The end of the first bin up to which there are so many of a hundred values, or the largest error.
 */
static double percentile_of(const tarei_error_sums *const sums, const int percent) {
  const int64_t n = compared(sums);
  const int64_t wanted = n - n / 100 * (100 - percent) - n % 100 * (100 - percent) / 100;
  int64_t below = 0;
  int b = 0;
  for (; b < TAREI_ERROR_FINE; b++) {
    below += sums->bins[b];
    if (below >= wanted) {
      break;
    }
  }
  return b == 0                      ? 0
         : b >= TAREI_ERROR_FINE - 1 ? sums->tally.max_abs
                                     : fmin(end_of_bin(b), sums->tally.max_abs);
}

void tarei_error_sums_conclude(const tarei_error_sums *const sums, tare_tensor_error *const out) {
  const tare_error_tally *const t = &sums->tally;
  const bool any = compared(sums) > 0;
  out->values = compared(sums);
  out->constant = t->constant;
  out->undefined = t->undefined;
  out->exceeding = sums->exceeding;
  out->nans = sums->nans;
  out->max_abs = any ? t->max_abs : NAN;
  out->mean_abs = any ? sums->abs / (double)out->values : NAN;
  out->rms = t->values > 0 ? sqrt(t->noise / (double)t->values) : any ? 0 : NAN;
  out->sqnr_db = tarei_measure_sqnr(t);
  out->cosine = tarei_measure_cosine(t);
  out->p50_abs = any ? percentile_of(sums, 50) : NAN;
  out->p90_abs = any ? percentile_of(sums, 90) : NAN;
  out->p99_abs = any ? percentile_of(sums, 99) : NAN;
}
