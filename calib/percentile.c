/* The magnitude that a given share of all values does not exceed, interpolated inside its bin. */
#include "calib/calibrator.h"

/* The first bin with which there are `target` values. */
static int find_bin(const tarei_distribution *const d, const double target) {
  int low = 0;
  for (int high = d->n_bins - 1; low < high;) {
    const int middle = low + (high - low) / 2;
    if (d->before[middle + 1].n < target) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static double percentile_threshold(const tarei_distribution *const d, const double percentile,
                                   bool *const degenerate) {
  (void)degenerate; /* there is no search */
  const double target = percentile / 100 * (double)d->count;
  const int i = find_bin(d, target);
  const double low = i * d->width, high = tarei_distribution_edge(d, i);
  const double n = d->before[i + 1].n - d->before[i].n;
  const double t = low + (high - low) * ((target - d->before[i].n) / n);
  return t > 0 && t < d->amax ? t : d->amax;
}

const tarei_calibrator tarei_calibrator_percentile = {
    .name = "percentile",
    .summary = "the magnitude that 99.99 % of all values are below",
    .takes_percentile = true,
    .threshold = percentile_threshold,
};
