/*
 * Log-spectral distance of signals (last axis), in dB: root mean square, over the frequencies, of
 * the difference of log power spectra, averaged over frames (Gray and Markel, "Distance measures
 * for speech processing", 1976). Frames of 512 values, 256 apart, with a Hann window.
 */
#include <kiss_fftr.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "calib/metrics/pairs.h"
#include "calib/metrics/rows.h"

enum { FRAME = 512, HOP = 256, BINS = FRAME / 2 + 1 };
static const double QUIET = 1e-10; /* power that is added: -100 dB of full scale */

/* Log power in dB of the frame from `at` on, with zeros behind the end of the signal. */
static void lsd_spectrum(const kiss_fftr_cfg transform, const double *const signal, const int64_t n,
                         const int64_t at, double *const db) {
  const double pi = 3.141592653589793;
  kiss_fft_scalar frame[FRAME] = {0};
  kiss_fft_cpx bins[BINS];
  for (int i = 0; i < FRAME && at + i < n; i++) {
    frame[i] = (kiss_fft_scalar)(signal[at + i] * (0.5 - 0.5 * cos(2 * pi * i / FRAME)));
  }
  kiss_fftr(transform, frame, bins);
  for (int i = 0; i < BINS; i++) {
    const double re = (double)bins[i].r, im = (double)bins[i].i;
    db[i] = 10 * log10((re * re + im * im) / FRAME + QUIET);
  }
}

/* Adds the distances of all frames, and their number. */
static void lsd_add_signal(const kiss_fftr_cfg transform, const double *const got,
                           const double *const want, const int64_t n, double *const sums) {
  double x[BINS], y[BINS];
  for (int64_t at = 0; at == 0 || at + FRAME <= n; at += HOP) {
    double squares = 0;
    lsd_spectrum(transform, got, n, at, x);
    lsd_spectrum(transform, want, n, at, y);
    for (int i = 0; i < BINS; i++) {
      squares += (x[i] - y[i]) * (x[i] - y[i]);
    }
    sums[0] += sqrt(squares / BINS);
    sums[1]++;
  }
}

static tare_status metric_lsd_add(const tarei_metric_case *const c,
                                  tare_metric_states *const states, tare_error *const err) {
  tarei_pairs pairs;
  tarei_rows rows;
  double sums[] = {0, 0}; /* distances, frames */
  kiss_fftr_cfg transform = NULL;
  tarei_rows_begin(c->got, c->extents, &rows);
  tare_status status = tarei_pairs_make("lsd", c, &pairs, err);
  if (status == TARE_OK && !(transform = kiss_fftr_alloc(FRAME, 0, NULL, NULL))) {
    status = tarei_fail_memory(err, "spectra", FRAME * sizeof *pairs.got);
  }
  for (int64_t at = 0; status == TARE_OK && at < pairs.n; at += rows.length) {
    lsd_add_signal(transform, pairs.got + at, pairs.want + at, rows.length, sums);
  }
  kiss_fftr_free(transform);
  tarei_pairs_fini(&pairs);
  return status == TARE_OK && sums[1] > 0 ? tarei_metric_states_add(states, sums, 2, err) : status;
}

const tarei_metric tarei_metric_lsd = {.name = "lsd",
                                       .summary = "log-spectral distance of signals",
                                       .unit = TAREI_DECIBEL,
                                       .lower_is_better = true,
                                       .truth = TARE_TRUTH_EITHER,
                                       .least_rank = 1,
                                       .add = metric_lsd_add,
                                       .n_sums = 2,
                                       .of_sums = tarei_metric_ratio};
