/*
 * Scale-invariant signal-to-distortion ratio of each signal (last axis), in dB: with the mean
 * removed, the energy of the projection on the target by that of the rest (Le Roux et al., "SDR:
 * half-baked or well done?", ICASSP 2019). Mean over the signals.
 */
#include <math.h>

#include "calib/metrics/pairs.h"
#include "calib/metrics/rows.h"

/* What a signal without distortion gets, and the most that any gets: a mean needs finite values. */
static const double MOST_DB = 100;

static double si_sdr_mean(const double *const x, const int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++) {
    sum += x[i];
  }
  return sum / (double)n;
}

/* NAN if the target is silent. */
static double si_sdr_of(const double *const got, const double *const want, const int64_t n) {
  const double got_mean = si_sdr_mean(got, n), want_mean = si_sdr_mean(want, n);
  double dot = 0, energy = 0, target = 0, rest = 0;
  for (int64_t i = 0; i < n; i++) {
    dot += (got[i] - got_mean) * (want[i] - want_mean);
    energy += (want[i] - want_mean) * (want[i] - want_mean);
  }
  if (energy == 0) {
    return NAN;
  }
  for (int64_t i = 0; i < n; i++) {
    const double projected = dot / energy * (want[i] - want_mean);
    const double left = got[i] - got_mean - projected;
    target += projected * projected;
    rest += left * left;
  }
  const double db = rest == 0 && target > 0 ? MOST_DB : 10 * log10(target / rest);
  return isnan(db) ? -MOST_DB : fmax(-MOST_DB, fmin(MOST_DB, db));
}

static tare_status metric_si_sdr_add(const tarei_metric_case *const c,
                                     tare_metric_states *const states, tare_error *const err) {
  tarei_pairs pairs;
  tarei_rows rows;
  double sums[] = {0, 0}; /* dB, signals */
  tarei_rows_begin(c->got, c->extents, &rows);
  const tare_status status = tarei_pairs_make("si-sdr", c, &pairs, err);
  for (int64_t at = 0; status == TARE_OK && at < pairs.n; at += rows.length) {
    const double db = si_sdr_of(pairs.got + at, pairs.want + at, rows.length);
    sums[0] += isnan(db) ? 0 : db;
    sums[1] += !isnan(db);
  }
  tarei_pairs_fini(&pairs);
  return status == TARE_OK && sums[1] > 0 ? tarei_metric_states_add(states, sums, 2, err) : status;
}

const tarei_metric tarei_metric_si_sdr = {
    .name = "si-sdr",
    .summary = "scale-invariant signal-to-distortion ratio of signals",
    .unit = TAREI_DECIBEL,
    .truth = TARE_TRUTH_EITHER,
    .least_rank = 1,
    .add = metric_si_sdr_add,
    .n_sums = 2,
    .of_sums = tarei_metric_ratio};
