/* A calibration as a step of a command that goes on with its statistics. */
#ifndef TAREI_TOOLS_CALIBRATION_H
#define TAREI_TOOLS_CALIBRATION_H

#include "tools/options/length_inputs.h"
#include "tools/options/options.h"
#include "tools/progress.h"

/* Progress of the pass over the data, and then of the rounding of weights. */
typedef struct calibration_progress {
  const opt_common *common;
  progress line;
  bool rounding;
  double deadline; /* of the pass, as of cli_now; 0: none. Set after the start */
} calibration_progress;

/* Sets what the options report to. `p` must live as long as the calibration, and is ended then. */
void calibration_progress_start(calibration_progress *p, const opt_common *common,
                                tare_calibrate_options *options);
void calibration_progress_end(calibration_progress *p);

typedef struct calibration {
  const opt_inputs *in;
  const tare_model *model;
  tare_dataset *data;
  const tare_profiles *profiles;
  const length_inputs *lengths;
  const tare_streaming *streaming; /* NULL: samples are runs */
  bool for_export;                 /* what exports need: all tensors that they have */
  const opt_weight_methods *weight_methods;
} calibration;

/* Runs it with progress, and says what the user should know of the data. */
tare_status calibration_run(const calibration *c, tare_stats **out, tare_error *err);

#endif
