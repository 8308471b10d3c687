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

#include "calib/gather/gather_job.h"

/* Counts all samples into empty statistics, whose tensors are the observable ones of the plan, in
 * order. If several samples fail, the error is that of the first one in the order of the data. */
tare_status tarei_gather(const tarei_gather_job *job, tare_stats *stats, tare_error *err);

#endif
