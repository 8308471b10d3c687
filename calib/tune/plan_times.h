/*
 * How long plans run: the sum of the times of their layers, which are measured unless they are
 * known. A plan that only puts known layers together differently need not run.
 */
#ifndef TAREI_CALIB_TUNE_PLAN_TIMES_H
#define TAREI_CALIB_TUNE_PLAN_TIMES_H

#include "calib/tune/latency.h"
#include "calib/tune/timings.h"

typedef struct tarei_plan_times {
  tarei_latency latency;
  tare_timings *timings, *own; /* own: made here, or NULL */
  int section;                 /* of this machine */
  int64_t n_known, n_measured; /* layers, each with every sample */
} tarei_plan_times;

/* Keeps samples as tarei_latency_init does. `timings`: those of the user, or NULL. `isa` is the
 * mask of the plans. Zero-initialize `times` first, and free it with _fini. */
tare_status tarei_plan_times_init(tarei_plan_times *times, const tare_plan *plan,
                                  tare_dataset *data, const tare_eval_options *options,
                                  tare_timings *timings, tare_error *err);
void tarei_plan_times_fini(tarei_plan_times *times);

/* Times of n plans (at most TAREI_LATENCY_PLANS) over all samples. `layers`: NULL, or receives for
 * each plan an array of the times of its layers, to be freed. */
tare_status tarei_plan_times_get(tarei_plan_times *times, const tare_plan *const *plans, int n,
                                 double *seconds, double **layers, tare_error *err);

#endif
