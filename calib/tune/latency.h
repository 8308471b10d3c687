/*
 * How long the layers of plans run: on a few samples that are kept in memory, in turns, warm.
 */
#ifndef TAREI_CALIB_TUNE_LATENCY_H
#define TAREI_CALIB_TUNE_LATENCY_H

#include <tare/eval.h>

enum { TAREI_LATENCY_SAMPLES = 4, TAREI_LATENCY_PLANS = 8 };

/* Inputs of one run, copied. */
typedef struct tarei_latency_sample {
  tare_tensor *tensors;
  int n_tensors;
  int64_t symbols[TARE_MAX_SYMBOLS]; /* of the profiles */
} tarei_latency_sample;

typedef struct tarei_latency {
  tarei_latency_sample samples[TAREI_LATENCY_SAMPLES];
  int n_samples;
  int threads; /* 0: all cores */
} tarei_latency;

/* Keeps the first samples, fitted to the profiles of the plan as the options say; of a streaming
 * model the first run of each. Zero-initialize `latency` first, and free it with _fini. */
tare_status tarei_latency_init(tarei_latency *latency, const tare_plan *plan, tare_dataset *data,
                               const tare_eval_options *options, tare_error *err);
void tarei_latency_fini(tarei_latency *latency);

/* Times of the layers of n plans (at most TAREI_LATENCY_PLANS): seconds[i] receives an array
 * [sample][layer] of the shortest run of each, to be freed. */
tare_status tarei_latency_measure(const tarei_latency *latency, const tare_plan *const *plans,
                                  int n, double **seconds, tare_error *err);

#endif
