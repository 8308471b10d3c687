/* Decisions about weights and channels, by the sums of all data. */
#ifndef TAREI_CALIB_DECIDE_H
#define TAREI_CALIB_DECIDE_H

#include "calib/parts/sums.h"
#include "calib/stats.h"

/* What a calibration works with. */
typedef struct tarei_work {
  tarei_kernels kernels;
  int threads;
} tarei_work;

tarei_work tarei_work_of(const tare_calibrate_options *options);

/* Adds the decisions to statistics whose tensors are the observable ones of the plan, in order. */
tare_status tarei_decide(tare_plan *plan, const tarei_sums *sums, const tarei_work *work,
                         const tare_calibrate_options *options, tare_stats *stats, tare_error *err);

#endif
