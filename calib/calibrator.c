#include "calib/calibrator.h"

#include <assert.h>
#include <tare/calib.h>

#include "base/str.h"

static const tarei_calibrator *const calibrators[] = {
#define TARE_CALIBRATOR(name) &tarei_calibrator_##name,
#include "calib/calibrators.inc"
#undef TARE_CALIBRATOR
};
enum { N = sizeof calibrators / sizeof *calibrators };

int tare_n_methods(void) {
  return N;
}

const char *tare_method_name(const int method) {
  return method >= 0 && method < N ? calibrators[method]->name : NULL;
}

const char *tare_method_summary(const int method) {
  return method >= 0 && method < N ? calibrators[method]->summary : NULL;
}

tare_status tarei_calibrator_find(const char *const name, const tarei_calibrator **const out,
                                  tare_error *const err) {
  const char *names[N];
  for (int i = 0; i < N; i++) {
    names[i] = calibrators[i]->name;
  }
  int method = 0;
  TARE_TRY(tarei_pick("calibration method", name ? name : names[0], names, N, &method, err));
  *out = calibrators[method];
  return TARE_OK;
}

tarei_distribution tarei_distribution_make(const tarei_histogram *const h, const double amax,
                                           int64_t *const bins) {
  assert(h->exponent != TAREI_HISTOGRAM_NO_EXPONENT && amax > 0);
  tarei_histogram_magnitudes(h, bins);
  tarei_distribution d = {.bins = bins,
                          .n_bins = TAREI_HISTOGRAM_BINS,
                          .width = __builtin_ldexp(1, h->exponent),
                          .amax = amax,
                          .count = tarei_histogram_total(h)};
  while (d.n_bins > 1 && bins[d.n_bins - 1] == 0) {
    d.n_bins--;
  }
  return d;
}

/* Mean of x^2 over [a, b]. */
static double mean_square(const double a, const double b) {
  return (a * a + a * b + b * b) / 3;
}

double tarei_distribution_energy_lost(const tarei_distribution *const d, const double t) {
  double all = 0, lost = 0;
  for (int i = d->n_bins - 1; i >= 0; i--) {
    const double low = i * d->width, high = tarei_distribution_edge(d, i);
    const double n = (double)d->bins[i];
    all += n * mean_square(low, high);
    if (low >= t) {
      lost += n * (mean_square(low, high) - t * t);
    } else if (high > t) {
      lost += n * (high - t) / (high - low) * (mean_square(t, high) - t * t);
    }
  }
  return all > 0 && lost > 0 ? lost / all : 0;
}
