/*
 * How long plans and their layers run: on a few samples that are kept in memory, in turns, warm.
 */
#ifndef TAREI_CALIB_TUNE_LATENCY_H
#define TAREI_CALIB_TUNE_LATENCY_H

#include <tare/eval.h>

enum { TAREI_LATENCY_SAMPLES = 4, TAREI_LATENCY_PLANS = 8 };

/* Inputs of one run, copied. */
typedef struct tarei_latency_sample {
  tare_tensor *tensors;
  int n_tensors;
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

/* Times of n plans (at most TAREI_LATENCY_PLANS) over all samples: the shortest run of each sample
 * counts. `layers`: NULL, or receives for each plan an array of the times of its layers, to be
 * freed. */
tare_status tarei_latency_measure(const tarei_latency *latency, const tare_plan *const *plans,
                                  int n, double *seconds, double **layers, tare_error *err);

#endif
