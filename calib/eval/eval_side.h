/* One plan of an evaluation: its context, its outputs for the current sample, and its tallies. */
#ifndef TAREI_CALIB_EVAL_EVAL_SIDE_H
#define TAREI_CALIB_EVAL_EVAL_SIDE_H

#include <tare/eval.h>

#include "calib/metrics/states.h"
#include "shapes/fit.h"
#include "shapes/streaming.h"

/* What is counted in samples. */
typedef struct tarei_eval_group {
  int64_t samples, other_shapes;
} tarei_eval_group;

typedef struct tarei_eval_side {
  const tare_plan *plan;
  tare_context *context;
  tare_tensor *outputs;      /* of the last run; views into the context */
  tarei_utterance utterance; /* states differ from plan to plan */
  tarei_fitted fitted;       /* of a chunk, for a model with states */
  tarei_eval_group *groups;  /* per profile of the evaluation, per level, per output, the total */
  tarei_eval_group *pending; /* the same for the current sample */
  int n_groups, n_profiles, n_levels, n_outputs;
  tare_metric_states *states; /* NULL without a metric */
  bool answers;               /* are kept with them */
  double *metrics;            /* its values, placed as the groups are; once it is finished */
  tare_error_tally *errors;   /* of each sample that counted, by level and output */
  tare_error_tally *pending_errors;
  int n_columns;    /* of the errors of a sample */
  bool is_compared; /* with a reference */
  int64_t n_errors;
  size_t cap_errors;
  double *sample_seconds; /* of each sample that counted */
  int64_t n_seconds;
  size_t cap_seconds;
  double seconds, seconds_before; /* of all runs, and of those before the current sample */
} tarei_eval_side;

/* Where a run counts. */
typedef struct tarei_eval_place {
  int profile, level;
  bool own_level; /* the one without gain, which alone counts as a sample */
} tarei_eval_place;

/* Opens a plan. Zero-initialize `side` first, and free it with _fini. `streaming` may be NULL;
 * n_levels is 0 without a gain range. */
tare_status tarei_eval_side_init(tarei_eval_side *side, const tare_plan *plan, int n_outputs,
                                 int n_profiles, int n_levels, const tare_streaming *streaming,
                                 const tare_context_options *options, tare_error *err);
void tarei_eval_side_fini(tarei_eval_side *side);

tare_status tarei_eval_side_run(tarei_eval_side *side, const tarei_fitted *fitted, tare_error *err);

/* Samples that counted. */
int64_t tarei_eval_side_samples(const tarei_eval_side *side);

/* Discards the results of the current sample. */
void tarei_eval_side_begin(tarei_eval_side *side);
/* Adds what an output has in a run of the current sample beside the reference. */
void tarei_eval_side_add_output(tarei_eval_side *side, const tarei_eval_place *place, int output,
                                const tare_error_tally *sums, bool other_shape);
/* Counts a run of the current sample, in which an output may have another shape. */
void tarei_eval_side_add_run(tarei_eval_side *side, const tarei_eval_place *place,
                             bool other_shape);
/* Counts the current sample. */
tare_status tarei_eval_side_commit(tarei_eval_side *side, tare_error *err);

/* Once all samples are there: computes the values of the metric. */
tare_status tarei_eval_side_finish(tarei_eval_side *side, tare_error *err);

/* Moves all into a result, without the gain of the levels and what scores follow from errors. The
 * caller owns its arrays. */
tare_status tarei_eval_side_conclude(tarei_eval_side *side, tare_eval_result *result,
                                     tare_error *err);

#endif
