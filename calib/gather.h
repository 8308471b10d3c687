/*
 * One pass of a plan over a data set.
 *
 * Workers take samples in turn. Each runs them in a context of its own and counts into statistics
 * of its own, whose sum does not depend on who took what. A sample that the model refuses is skipped
 * where the data set skips bad ones, and none of its values count.
 */
#ifndef TAREI_CALIB_GATHER_H
#define TAREI_CALIB_GATHER_H

#include <tare/plan.h>

#include "calib/stats.h"

typedef struct tarei_gather_job {
  const tare_model *model;
  const tare_profiles *profiles;
  const tare_calibrate_options *options;
  const tare_plan *plan;
  tare_dataset *dataset;
} tarei_gather_job;

/* Counts all samples into empty statistics, whose tensors are the plan's observable ones in turn.
 * Of several failures the one of the earliest sample is told, as if samples came one by one. */
tare_status tarei_gather(const tarei_gather_job *job, tare_stats *stats, tare_error *err);

#endif
