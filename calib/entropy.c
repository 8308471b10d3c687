/*
 * The entropy calibrator as published for TensorRT: of the candidates i = 128..2048, the first i of
 * 2048 bins of |x| are the reference P, with everything beyond added to its last bin; Q is the same
 * bins in 128 levels, each level spread evenly over its bins that are not empty; the candidate with
 * the least divergence KL(P || Q) wins, and the threshold is (i + 0.5) bins.
 *
 * Inside a level Q is constant, so that the divergence of a candidate is a sum over levels of
 * differences of prefix sums: 128 terms instead of i.
 */
#include <math.h>

#include "calib/calibrator.h"

enum { BINS = 2048, FIRST = 128, LEVELS = 128 };
#define TIE 1e-12 /* divergences nearer than this are one; the larger threshold wins */

/* Sums over the bins before i. */
typedef struct prefix {
  double mass[BINS + 1];
  double entropy[BINS + 1]; /* of c ln c */
  int filled[BINS + 1];
} prefix;

static bool is_empty(const tarei_distribution *const d, const int i) {
  return i < 0 || i >= d->n_bins || d->before[i].n == d->before[i + 1].n;
}

/* How many values lie below x. Only whole values are shared out: parts of them would fill bins that
 * are empty, and those decide where a sparse tail ends. Between empty bins there is a single value,
 * however often it came, as where few values exist: it stays together. */
static double count_below(const tarei_distribution *const d, const double x) {
  const int i = (int)(x / d->width);
  const bool alone = is_empty(d, i - 1) && is_empty(d, i + 1);
  if (alone && i < d->n_bins) {
    const double middle = (i * d->width + tarei_distribution_edge(d, i)) / 2;
    return d->before[x > middle ? i + 1 : i].n;
  }
  return floor(tarei_distribution_below(d, x).n + 0.5);
}

/* BINS equal bins over [0, amax]. */
static void entropy_resample(const tarei_distribution *const d, double *const out) {
  double before = 0;
  for (int i = 0; i < BINS; i++) {
    const double edge = (i + 1) * (d->amax / BINS);
    const double after = i + 1 < BINS ? count_below(d, edge) : (double)d->count;
    out[i] = after - before;
    before = after;
  }
}

static void sum_up(const double *const bins, prefix *const sums) {
  sums->mass[0] = sums->entropy[0] = 0;
  sums->filled[0] = 0;
  for (int i = 0; i < BINS; i++) {
    const double c = bins[i];
    sums->mass[i + 1] = sums->mass[i] + c;
    sums->entropy[i + 1] = sums->entropy[i] + (c > 0 ? c * log(c) : 0);
    sums->filled[i + 1] = sums->filled[i] + (c > 0);
  }
}

/* Bin j of a candidate belongs to level j * LEVELS / i; this is the first bin of a level. */
static int level_begin(const int level, const int i) {
  return (level * i + LEVELS - 1) / LEVELS;
}

/* sum of p ln q over the bins of the candidate, with p = mass of a bin without the outliers. */
static double cross_term(const prefix *const sums, const int i, double *const last_log) {
  double cross = 0;
  for (int level = 0; level < LEVELS; level++) {
    const int begin = level_begin(level, i), end = level_begin(level + 1, i);
    const double mass = sums->mass[end] - sums->mass[begin];
    const int filled = sums->filled[end] - sums->filled[begin];
    if (filled) {
      *last_log = log(mass / filled);
      cross += mass * *last_log;
    }
  }
  return cross;
}

/* KL(P || Q) with P = (p + outliers in its last bin) / all and Q = q / kept. */
static double divergence(const double *const bins, const prefix *const sums, const int i) {
  const double all = sums->mass[BINS], kept = sums->mass[i];
  const double outliers = i < BINS ? all - kept : 0;
  const double last = bins[i - 1];
  if (kept <= 0 || (outliers > 0 && last <= 0)) {
    return INFINITY; /* P has mass where Q has none */
  }
  double last_log = 0;
  double cross = cross_term(sums, i, &last_log);
  double own = sums->entropy[i];
  if (outliers > 0) {
    own += (last + outliers) * log(last + outliers) - last * log(last);
    cross += outliers * last_log; /* the last bin is filled, and lies in the last level */
  }
  return (own - cross) / all - log(all) + log(kept);
}

static double entropy_threshold(const tarei_distribution *const d, const double percentile,
                                bool *const degenerate) {
  (void)percentile; /* not a parameter of this method */
  double bins[BINS];
  prefix sums;
  entropy_resample(d, bins);
  sum_up(bins, &sums);
  int best = BINS, n_finite = 0;
  double least = INFINITY;
  for (int i = FIRST; i <= BINS; i++) {
    const double kl = divergence(bins, &sums, i);
    n_finite += isfinite(kl);
    if (isfinite(kl) && kl <= least + TIE) {
      best = i;
      least = fmin(kl, least);
    }
  }
  *degenerate = n_finite < 2 || sums.filled[BINS] < 2;
  return (best + 0.5) * (d->amax / BINS);
}

const tarei_calibrator tarei_calibrator_entropy = {
    .name = "entropy",
    .summary = "minimizes the Kullback-Leibler divergence, as TensorRT's entropy calibrator",
    .threshold = entropy_threshold,
};
