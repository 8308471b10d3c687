#include "calib/calibrator.h"

#include <assert.h>
#include <tare/calib.h>

#include "base/str.h"

static const tarei_calibrator *const calibrators[] = {
#define TAREI_CALIBRATOR(name) &tarei_calibrator_##name,
#include "calib/calibrators.inc"
#undef TAREI_CALIBRATOR
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

bool tare_method_takes_percentile(const int method) {
  if (!tarei_has_number(method, N)) {
    return false;
  }
  return calibrators[method]->takes_percentile;
}

tare_status tarei_calibrator_find(const char *const name, const tarei_calibrator **const out,
                                  tare_error *const err) {
  const char *names[N];
  for (int i = 0; i < N; i++) {
    names[i] = calibrators[i]->name;
  }
  int method = 0;
  TAREI_TRY(tarei_pick("calibration method", name ? name : names[0], names, N, &method, err));
  *out = calibrators[method];
  return TARE_OK;
}

/* Of n values spread evenly over [a, b]. */
static tarei_moments calibrator_spread(const double n, const double a, const double b) {
  return (tarei_moments){n, n * (a + b) / 2, n * (a * a + a * b + b * b) / 3};
}

static tarei_moments calibrator_add(const tarei_moments a, const tarei_moments b) {
  return (tarei_moments){a.n + b.n, a.first + b.first, a.second + b.second};
}

/* Counts of |x| in a page of bins. */
static void magnitudes(const tarei_histogram *const h, const int page, int64_t *const out) {
  int64_t negative[TAREI_COUNTS_PAGE];
  tarei_counts_get(&h->positive, page, out);
  tarei_counts_get(&h->negative, page, negative);
  for (int i = 0; i < TAREI_COUNTS_PAGE; i++) {
    out[i] += negative[i];
  }
}

tarei_distribution tarei_distribution_make(const tarei_histogram *const h, const double amax,
                                           tarei_moments *const before) {
  assert(h->exponent != TAREI_HISTOGRAM_NO_EXPONENT && amax > 0);
  tarei_distribution d = {.before = before, .width = __builtin_ldexp(1, h->exponent), .amax = amax};
  d.n_bins = (int)(amax / d.width) + 1;
  assert(d.n_bins <= TAREI_HISTOGRAM_BINS);
  before[0] = (tarei_moments){0};
  int64_t counts[TAREI_COUNTS_PAGE];
  for (int i = 0; i < d.n_bins; i++) {
    if (i % TAREI_COUNTS_PAGE == 0) {
      magnitudes(h, i / TAREI_COUNTS_PAGE, counts);
    }
    const int64_t n = counts[i % TAREI_COUNTS_PAGE];
    before[i + 1] = calibrator_add(
        before[i], calibrator_spread((double)n, i * d.width, tarei_distribution_edge(&d, i)));
    d.count += n;
  }
  return d;
}

void tarei_distribution_counts(const tarei_distribution *const d, int64_t *const counts) {
  for (int i = 0; i < d->n_bins; i++) {
    counts[i] = (int64_t)(d->before[i + 1].n - d->before[i].n); /* exact below 2^53 */
  }
}

tarei_moments tarei_distribution_below(const tarei_distribution *const d, const double x) {
  if (x >= d->amax) {
    return d->before[d->n_bins];
  }
  const int i = (int)(x / d->width);
  const double low = i * d->width, high = tarei_distribution_edge(d, i);
  const double n = d->before[i + 1].n - d->before[i].n;
  return calibrator_add(d->before[i], calibrator_spread(n * (x - low) / (high - low), low, x));
}

double tarei_distribution_energy_lost(const tarei_distribution *const d, const double t) {
  const tarei_moments all = d->before[d->n_bins], kept = tarei_distribution_below(d, t);
  const double lost = all.second - kept.second - (all.n - kept.n) * t * t;
  return lost > 0 ? lost / all.second : 0;
}
