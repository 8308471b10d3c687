/* What a pass over a data set counts, and for whom. */
#ifndef TAREI_CALIB_GATHER_GATHER_JOB_H
#define TAREI_CALIB_GATHER_GATHER_JOB_H

#include <tare/plan.h>

#include "calib/stats.h"

typedef struct tarei_gather_job {
  const tare_model *model;
  const tare_profiles *profiles;
  const tare_calibrate_options *options;
  const tare_plan *plan;
  const tarei_kernels *kernels;
  int threads;
  tare_dataset *dataset;
  tarei_sums *sums;           /* receives those of all layers and tensors that it has */
  tarei_ledger_rest *resumed; /* samples that the statistics have already */
  tarei_ledger_rest *counted; /* samples to leave out */
  bool may_be_empty;          /* having no samples is no error */
  tare_status (*resume)(void *user, tare_error *err); /* adds what was counted before the pass */
  tare_status (*save)(void *user, tare_error *err);   /* writes a checkpoint; NULL: none */
  void *user;
} tarei_gather_job;

#endif
