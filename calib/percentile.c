/* The magnitude that a given share of all values does not exceed, interpolated inside its bin. */
#include "calib/calibrator.h"

static double threshold(const tarei_distribution *const d, const double percentile,
                        bool *const degenerate) {
  (void)degenerate; /* there is no search */
  const double target = percentile / 100 * (double)d->count;
  double below = 0;
  for (int i = 0; i < d->n_bins; i++) {
    const double n = (double)d->bins[i];
    if (n > 0 && below + n >= target) {
      const double low = i * d->width, high = tarei_distribution_edge(d, i);
      const double t = low + (high - low) * ((target - below) / n);
      return t > 0 && t < d->amax ? t : d->amax;
    }
    below += n;
  }
  return d->amax;
}

const tarei_calibrator tarei_calibrator_percentile = {
    .name = "percentile",
    .summary = "the magnitude that 99.99 % of all values stay below",
    .takes_percentile = true,
    .threshold = threshold,
};
