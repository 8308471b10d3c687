/*
 * Calibrators compute a threshold from the distribution of |x|.
 *
 * Each has one file (calib/<name>.c) and one row in calib/calibrators.inc: TAREI_CALIBRATOR(name).
 */
#ifndef TAREI_CALIB_CALIBRATOR_H
#define TAREI_CALIB_CALIBRATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "calib/histogram.h"

/* Sums of 1, of x and of x^2 over some |x|. */
typedef struct tarei_moments {
  double n, first, second;
} tarei_moments;

/* Distribution of |x| of one tensor in one column, evenly spread inside each bin. At least one
 * value is not zero. */
typedef struct tarei_distribution {
  const tarei_moments *before; /* [n_bins + 1], over the bins before one */
  int n_bins;                  /* the last one is not empty: it holds amax */
  double width;                /* of a bin */
  double amax;                 /* exact; (n_bins - 1) * width <= amax < n_bins * width */
  int64_t count;
} tarei_distribution;

typedef struct tarei_calibrator {
  const char *name, *summary;
  bool takes_percentile; /* its only parameter */
  /* Returns the threshold, > 0. Sets *degenerate if the search had nothing to choose from. */
  double (*threshold)(const tarei_distribution *d, double percentile, bool *degenerate);
} tarei_calibrator;

#define TAREI_CALIBRATOR(name) extern const tarei_calibrator tarei_calibrator_##name;
#include "calib/calibrators.inc"
#undef TAREI_CALIBRATOR

/* Finds a calibrator by name; NULL means "minmax". TARE_E_USAGE for unknown names. */
tare_status tarei_calibrator_find(const char *name, const tarei_calibrator **out, tare_error *err);

/* Sums up a histogram that has an exponent into `before` (TAREI_HISTOGRAM_BINS + 1). */
tarei_distribution tarei_distribution_make(const tarei_histogram *h, double amax,
                                           tarei_moments *before);

/* Counts of |x| in each bin. */
void tarei_distribution_counts(const tarei_distribution *d, int64_t *counts);

/* Moments of the values below x >= 0; those in the bin of x count in proportion. */
tarei_moments tarei_distribution_below(const tarei_distribution *d, double x);

/* Upper edge of a bin; amax for the last one. */
static inline double tarei_distribution_edge(const tarei_distribution *const d, const int bin) {
  return bin + 1 < d->n_bins ? (bin + 1) * d->width : d->amax;
}

/* Share of the sum of squares that clipping at t removes: sum over |x| > t of x^2 - t^2, divided by
 * the sum of x^2. */
double tarei_distribution_energy_lost(const tarei_distribution *d, double t);

#endif
