/*
 * Calibrators: how a threshold follows from the distribution of |x|.
 *
 * One file each (calib/<name>.c), one row each in calib/calibrators.inc: TAREI_CALIBRATOR(name).
 */
#ifndef TAREI_CALIB_CALIBRATOR_H
#define TAREI_CALIB_CALIBRATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "calib/histogram.h"

/* Sums over some |x|: of 1, of x and of x^2. */
typedef struct tarei_moments {
  double n, first, second;
} tarei_moments;

/* |x| of one tensor in one column, spread evenly inside each bin. At least one value is not zero.
 */
typedef struct tarei_distribution {
  const tarei_moments *before; /* [n_bins + 1], over the bins before one */
  int n_bins;                  /* the last one is not empty: it holds amax */
  double width;                /* of a bin */
  double amax;                 /* exact; (n_bins - 1) * width <= amax < n_bins * width */
  int64_t count;
} tarei_distribution;

typedef struct tarei_calibrator {
  const char *name, *summary;
  bool takes_percentile; /* its one parameter */
  /* The threshold, > 0. Sets *degenerate when the search had nothing to choose from. */
  double (*threshold)(const tarei_distribution *d, double percentile, bool *degenerate);
} tarei_calibrator;

#define TAREI_CALIBRATOR(name) extern const tarei_calibrator tarei_calibrator_##name;
#include "calib/calibrators.inc"
#undef TAREI_CALIBRATOR

/* The row of a name, NULL for "minmax"; TARE_E_USAGE for unknown ones. */
tare_status tarei_calibrator_find(const char *name, const tarei_calibrator **out, tare_error *err);

/* Sums up a histogram that has an exponent into `before` (TAREI_HISTOGRAM_BINS + 1). */
tarei_distribution tarei_distribution_make(const tarei_histogram *h, double amax,
                                           tarei_moments *before);

/* Over the values below x >= 0, of which those in the bin of x in proportion; all from amax on. */
tarei_moments tarei_distribution_below(const tarei_distribution *d, double x);

/* Upper edge of a bin: amax for the last one, beyond which there is nothing. */
static inline double tarei_distribution_edge(const tarei_distribution *const d, const int bin) {
  return bin + 1 < d->n_bins ? (bin + 1) * d->width : d->amax;
}

/* Share of the sum of squares that clipping at t removes: sum over |x| > t of x^2 - t^2, divided by
 * the sum of x^2. */
double tarei_distribution_energy_lost(const tarei_distribution *d, double t);

#endif
