/* One plan of an evaluation: its context, its outputs for the current sample, and its tallies. */
#ifndef TAREI_CALIB_EVAL_EVAL_SIDE_H
#define TAREI_CALIB_EVAL_EVAL_SIDE_H

#include "calib/eval/eval_tally.h"
#include "calib/metrics/states.h"
#include "shapes/fit.h"
#include "shapes/streaming.h"

typedef struct tarei_eval_side {
  const tare_plan *plan;
  tare_context *context;
  tare_tensor *outputs;      /* of the last run; views into the context */
  tarei_utterance utterance; /* states differ from plan to plan */
  tarei_fitted fitted;       /* of a chunk, for a model with states */
  tarei_tally *tallies;      /* per profile of the evaluation, per level, per output, the total */
  tarei_tally *pending;      /* the same for the current sample */
  int n_tallies, n_profiles, n_levels, n_outputs;
  tare_metric_states *states; /* NULL without a metric */
  bool answers;               /* are kept with them */
  double *metrics;            /* its values, placed as the tallies are; once it is finished */
  tare_error_tally *errors;   /* of each sample that counted */
  int64_t n_errors;
  size_t cap_errors;
  tare_error_tally *level_errors; /* the same by level */
  size_t cap_level_errors;
  tare_error_tally *output_errors; /* the same by output */
  size_t cap_output_errors;
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

/* The sums over all samples that counted. */
const tarei_tally *tarei_eval_side_total(const tarei_eval_side *side);

/* Discards the results of the current sample. */
void tarei_eval_side_begin(tarei_eval_side *side);
/* Adds the result of a run of the current sample, of all outputs or of one. */
void tarei_eval_side_add(tarei_eval_side *side, const tarei_eval_place *place,
                         const tarei_tally *tally);
void tarei_eval_side_add_output(tarei_eval_side *side, const tarei_eval_place *place, int output,
                                const tarei_tally *tally);
/* Counts the current sample. */
tare_status tarei_eval_side_commit(tarei_eval_side *side, tare_error *err);

/* Once all samples are there: computes the values of the metric. */
tare_status tarei_eval_side_finish(tarei_eval_side *side, tare_error *err);

/* Computes the scores, without the gain of the levels. The caller owns the arrays of the result. */
tare_status tarei_eval_side_conclude(tarei_eval_side *side, tare_eval_result *result,
                                     tare_error *err);

#endif
