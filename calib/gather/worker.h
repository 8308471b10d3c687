/* What takes samples out of a data set, runs them and counts what the plan's tensors hold. Several
 * share an intake; each is used by one thread at a time. */
#ifndef TAREI_CALIB_GATHER_WORKER_H
#define TAREI_CALIB_GATHER_WORKER_H

#include <pthread.h>

#include "calib/accumulator.h"
#include "calib/gather/gather_job.h"
#include "calib/gram_rows.h"
#include "calib/refused.h"
#include "datasets/dataset.h"
#include "shapes/fit.h"
#include "shapes/streaming.h"

/* What workers share. */
typedef struct tarei_intake {
  const tarei_gather_job *job;
  tarei_fit_options fit;
  pthread_mutex_t mutex;   /* guards the data set and what follows */
  int64_t n_taken, n_done; /* at all levels; samples */
  bool closed;  /* the data is at its end, a sample failed, or the caller wants no more */
  bool spoiled; /* the statistics hold a part of a sample that was refused */
  tarei_refused refused;
  tare_fit_counts fitted;
  tare_stats *stats; /* the sum of all workers; its ledger is filled by them */
  bool paused;       /* for a checkpoint: no more samples until it is written */
  bool stopped;      /* by the caller */
  double saved;      /* time of the last checkpoint, or of the start */
  int64_t n_saved;   /* n_taken then */
} tarei_intake;

/* A sample, taken out of the data set. */
typedef struct tarei_intake_sample {
  tarei_slot slot;
  bool observed;   /* by none yet, or by some tensor */
  bool refused;    /* the model failed on it */
  bool unobserved; /* it is run only to see whether the model takes it */
  bool counts;     /* as a sample: the first of its levels does */
  bool resumed;    /* a checkpoint has counted it */
  const char *nan; /* the first tensor of it that has NaN; NULL: none */
  tarei_sample_hash hash;
  tarei_fitted fitted;       /* may lie in the slot's memory */
  tarei_utterance utterance; /* instead, where states are carried */
} tarei_intake_sample;

typedef struct tarei_worker {
  tarei_intake *in;
  tare_context *context;
  tarei_crew crew;
  tarei_gram_rows rows;
  float *ranges; /* scratch for those of channels */
  tarei_intake_sample sample;
  tare_tensor *outputs;
  tare_stats *stats;
  tare_stats *counted; /* where a sample is counted: `stats`, or `weighed` until it is complete */
  tare_stats *weighed; /* NULL: each element counts once */
  tare_calibrate_times times;
  tare_status status;
  int64_t failed_at; /* number of the sample in the order of taking */
  tare_error err;
} tarei_worker;

/* Starts a worker of so many threads, whose statistics are set; it ends with tarei_worker_end, also
 * after a failure. */
tare_status tarei_worker_start(tarei_worker *w, tarei_intake *in, int threads, tare_error *err);
void tarei_worker_end(tarei_worker *w);

/* The next sample that fits; false at the end, or with a status in the worker. */
bool tarei_worker_take(tarei_worker *w);

/* Runs the sample that was taken and counts it; on the caller's thread with a report of progress.
 */
tare_status tarei_worker_count(tarei_worker *w, bool of_caller);

tare_status tarei_worker_fit(tarei_worker *w, const tare_tensor *tensors);
/* After w->err: the sample is skipped when the data set says so. Other levels of it may have been
 * counted, by any worker. */
tare_status tarei_worker_refuse(tarei_worker *w);
/* Only ever called on the thread of the caller. */
tare_status tarei_worker_report(tarei_worker *w, int64_t done);
void tarei_worker_reset_stats(tare_stats *stats);

#endif
