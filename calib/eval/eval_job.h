/* An evaluation while it runs, and how its samples are run and measured. */
#ifndef TAREI_CALIB_EVAL_EVAL_JOB_H
#define TAREI_CALIB_EVAL_EVAL_JOB_H

#include "calib/eval/command_files.h"
#include "calib/eval/agreement/eval_agreement.h"
#include "calib/eval/eval_constants.h"
#include "calib/eval/eval_fit.h"
#include "calib/eval/eval_samples.h"
#include "calib/eval/eval_save.h"
#include "calib/eval/eval_side.h"
#include "calib/metrics/custom.h"
#include "engine/samples/sample_hash.h"

enum { NO_SIDE = -1 };

/* Samples are fitted to the profiles of the first side. */
typedef struct tarei_eval_job {
  const tare_eval_options *options;
  const tare_port *outputs;
  int n_outputs, n_profiles, n_levels; /* n_levels: 0 without a gain range */
  const tarei_metric *metric;          /* NULL for none */
  tarei_custom_metric custom;          /* that of the program, if it is one */
  tarei_metric_settings settings;      /* its own */
  tarei_eval_side *sides;
  int n_sides, reference; /* NO_SIDE for none */
  tarei_eval_fit fit;
  tarei_fitted fitted;     /* of samples that are runs */
  tarei_sample_hash drawn; /* the current sample, for the random numbers of its runs */
  tarei_eval_save *save;
  tarei_command_files *files; /* for a metric that a command computes; else NULL */
  bool refused;               /* what failed is the fault of the sample */
  int64_t index;              /* of the sample whose levels are taken; -1: none */
  bool dropped;               /* one of its levels was refused */
  int64_t n_chunks;           /* taken so far, of all samples */
  int64_t number;             /* of the run: by sample and level, or by chunk */
  tare_fit_counts counts;
  tarei_eval_samples samples;
  tarei_eval_constants constants; /* of the current run */
  tarei_eval_agreement agreement;
} tarei_eval_job;

/* Adds what the outputs of all sides bring for a sample to their errors, metrics and files. */
tare_status tarei_eval_job_measure(tarei_eval_job *e, const tarei_eval_runs *runs,
                                   const tare_sample *sample, int profile, tare_error *err);

/* Runs and measures all samples of the data set. `refusals` is their number when the evaluation
 * began (tarei_refusals). */
tare_status tarei_eval_job_take_all(tarei_eval_job *e, unsigned refusals, tare_dataset *dataset,
                                    tare_error *err);

#endif
