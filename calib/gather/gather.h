/*
 * One pass of a plan over a data set.
 *
 * Workers take samples in turn. Each has its own context and its own statistics, whose sum does not
 * depend on which worker took which sample. If the data set skips bad samples, a sample that the
 * model rejects is skipped, and none of its values count.
 *
 * For a checkpoint, the workers finish their samples and stop, so that what they have counted is
 * what the ledger says.
 */
#ifndef TAREI_CALIB_GATHER_GATHER_H
#define TAREI_CALIB_GATHER_GATHER_H

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

/* Counts all samples into empty statistics, whose tensors are the observable ones of the plan, in
 * order. If several samples fail, the error is that of the first one in the order of the data. */
tare_status tarei_gather(const tarei_gather_job *job, tare_stats *stats, tare_error *err);

#endif
