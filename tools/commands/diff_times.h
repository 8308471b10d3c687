/* Times of the layers of two plans, measured in turns. */
#ifndef TAREI_TOOLS_COMMANDS_DIFF_TIMES_H
#define TAREI_TOOLS_COMMANDS_DIFF_TIMES_H

#include "tools/bench/samples.h"

typedef struct diff_times_options {
  const char *symbols;    /* lengths of generated inputs; NULL: the opt of profile 0 of A */
  const samples *data[2]; /* what to run on, for each plan; NULL: generated inputs */
  int threads;
  double seconds;
} diff_times_options;

typedef struct diff_times {
  double *ms[2];   /* of each layer of each plan in one run */
  double total[2]; /* of a run */
  char *shape;     /* the lengths of generated inputs, "samples=16000"; "" for data */
  int64_t runs;
  /* How many times as long A takes as B: the median of the pairs of runs, and its 95 % confidence
   * interval. */
  double ratio, ratio_low, ratio_high;
} diff_times;

/* Runs both plans on the same inputs for so many seconds, one run of each after the other. */
tare_status diff_times_measure(const tare_plan *const plans[2], const diff_times_options *options,
                               diff_times *out, tare_error *err);
void diff_times_fini(diff_times *t);

#endif
