/*
 * The threshold with the least expected squared error of symmetric int8 (scale t/127). What rounds
 * to k scales, [k - 1/2, k + 1/2) of them and for 127 everything beyond, has the error
 * sum of (x - q)^2 = sum of x^2 - 2 q sum of x + q^2 n, so that a threshold costs 128 steps.
 */
#include <math.h>

#include "calib/calibrator.h"

enum { COARSE = 256, FINE = 32, LEVELS = 127 };
#define LEAST (1.0 / 32) /* of amax; the lowest candidate */

static double expected_error(const tarei_distribution *const d, const double t) {
  const double step = t / LEVELS;
  double sum = 0;
  tarei_moments below = {0};
  for (int k = 0; k <= LEVELS; k++) {
    const tarei_moments next =
        tarei_distribution_below(d, k < LEVELS ? (k + 0.5) * step : INFINITY);
    const double q = k * step;
    sum += next.second - below.second - 2 * q * (next.first - below.first) +
           q * q * (next.n - below.n);
    below = next;
  }
  return sum;
}

/* Of n + 1 thresholds in geometric steps from low to high, the best; of equal ones the largest. */
static double mse_search(const tarei_distribution *const d, const double low, const double high,
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

static double mse_threshold(const tarei_distribution *const d, const double percentile,
                            bool *const degenerate) {
  (void)percentile; /* not a parameter of this method */
  (void)degenerate; /* every threshold has an error of its own */
  const double coarse = mse_search(d, d->amax * LEAST, d->amax, COARSE);
  const double step = pow(LEAST, -1.0 / COARSE);
  return mse_search(d, coarse / step, fmin(coarse * step, d->amax), FINE);
}

const tarei_calibrator tarei_calibrator_mse = {
    .name = "mse",
    .summary = "minimizes the squared error of rounding and clipping",
    .threshold = mse_threshold,
};
