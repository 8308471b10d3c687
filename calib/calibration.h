/*
 * What a calibration works with, whether it runs over data or only decides: the plan, statistics
 * with the names of everything that is observed, and sums by which weights and channels are
 * decided.
 */
#ifndef TAREI_CALIB_CALIBRATION_H
#define TAREI_CALIB_CALIBRATION_H

#include <tare/plan.h>

#include "calib/decide.h"

typedef struct tarei_calibration {
  const tare_model *model;
  const tare_profiles *profiles;
  const tare_calibrate_options *options;
  tare_plan *plan;
  tare_stats *stats; /* tensors in the order of the plan's observable ones until the end */
  tarei_sums *sums;
  tare_error *err;
} tarei_calibration;

/* Makes plan, statistics and sums of model, profiles and options; all are empty. */
tare_status tarei_calibration_make(tarei_calibration *calibration);

/* A copy of a text of the statistics. */
tare_status tarei_calibration_copy_text(const tarei_calibration *calibration, const char *text,
                                        char **slot);

/* Whether anything is to be decided by sums. */
bool tarei_calibration_has_sums(const tarei_calibration *calibration);

/* Begins where other statistics of the same run end. */
tare_status tarei_calibration_take(tarei_calibration *calibration, const tare_stats *from);

/* Decides, or keeps the sums where nothing is to be decided yet. */
tare_status tarei_calibration_finish(tarei_calibration *calibration, const tarei_work *work);

/* Frees all but the statistics, which become *out; after a failure these too. Returns `status`. */
tare_status tarei_calibration_end(tarei_calibration *calibration, tare_status status,
                                  tare_stats **out);

#endif
