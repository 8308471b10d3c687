/* Nothing is clipped. */
#include "calib/calibrator.h"

static double minmax_threshold(const tarei_distribution *const d, const double percentile,
                               bool *const degenerate) {
  (void)percentile; /* not a parameter of this method */
  (void)degenerate; /* there is no search */
  return d->amax;
}

const tarei_calibrator tarei_calibrator_minmax = {
    .name = "minmax",
    .summary = "the largest magnitude; clips nothing",
    .threshold = minmax_threshold,
};
