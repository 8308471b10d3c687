/*
 * The threshold with the least expected squared error of symmetric int8 (scale t/127), values
 * spread evenly inside their bin. The error over a range is a closed form: rounding to a grid of
 * step s has the integral n s^3 / 12 + r^3 / 3 from 0 to x = n s + r, clipping adds (x - t)^3 / 3.
 */
#include <math.h>

#include "calib/calibrator.h"

enum { COARSE = 256, FINE = 32 };
#define LEAST (1.0 / 32) /* of amax; the lowest candidate */

static double error_up_to(const double x, const double t) {
  const double step = t / 127;
  const double inside = x < t ? x : t;
  const double n = (int)(inside / step + 0.5); /* 0..127 */
  const double rest = inside - n * step;
  const double beyond = x > t ? x - t : 0;
  return n * step * step * step / 12 + rest * rest * rest / 3 + beyond * beyond * beyond / 3;
}

/* Error of a single value, for a bin without extent. */
static double error_at(const double x, const double t) {
  const double step = t / 127;
  const double rest = x > t ? x - t : x - (int)(x / step + 0.5) * step;
  return rest * rest;
}

static double expected_error(const tarei_distribution *const d, const double t) {
  double sum = 0, before = 0;
  for (int i = 0; i < d->n_bins; i++) {
    const double low = i * d->width, high = tarei_distribution_edge(d, i);
    const double after = error_up_to(high, t);
    if (d->bins[i]) {
      const double mean = high > low ? (after - before) / (high - low) : error_at(low, t);
      sum += (double)d->bins[i] * mean;
    }
    before = after;
  }
  return sum;
}

/* Of n + 1 thresholds in geometric steps from low to high, the best; of equal ones the largest. */
static double search(const tarei_distribution *const d, const double low, const double high,
                     const int n) {
  double best = high, least = INFINITY;
  for (int i = n; i >= 0; i--) {
    const double t = i == n ? high : low * pow(high / low, (double)i / n);
    const double error = expected_error(d, t);
    if (error < least) {
      least = error;
      best = t;
    }
  }
  return best;
}

static double threshold(const tarei_distribution *const d, const double percentile,
                        bool *const degenerate) {
  (void)percentile; /* not a parameter of this method */
  (void)degenerate; /* every threshold has an error of its own */
  const double coarse = search(d, d->amax * LEAST, d->amax, COARSE);
  const double step = pow(LEAST, -1.0 / COARSE);
  return search(d, coarse / step, fmin(coarse * step, d->amax), FINE);
}

const tarei_calibrator tarei_calibrator_mse = {
    .name = "mse",
    .summary = "least expected squared error of int8 rounding and clipping",
    .threshold = threshold,
};
