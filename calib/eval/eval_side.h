/* One plan of an evaluation: its context, its outputs for the current sample, and its tallies. */
#ifndef TAREI_CALIB_EVAL_SIDE_H
#define TAREI_CALIB_EVAL_SIDE_H

#include "calib/eval/eval_tally.h"
#include "shapes/fit.h"
#include "shapes/streaming.h"

typedef struct tarei_eval_side {
  const tare_plan *plan;
  tare_context *context;
  tare_tensor *outputs;      /* of the last run; views into the context */
  tarei_utterance utterance; /* states differ from plan to plan */
  tarei_fitted fitted;       /* of a chunk, for a model with states */
  tarei_tally *tallies;      /* per profile of the evaluation, then the total */
  tarei_tally *pending;      /* the same for the current sample */
  int n_tallies;
  tare_metric_tally *samples; /* the metric of each sample that counted */
  int64_t n_samples;
  size_t cap_samples;
  tare_error_tally *errors; /* of each sample that counted */
  int64_t n_errors;
  size_t cap_errors;
  double seconds;
} tarei_eval_side;

/* Opens a plan. Zero-initialize `side` first, and free it with _fini. `streaming` may be NULL. */
tare_status tarei_eval_side_init(tarei_eval_side *side, const tare_plan *plan, int n_outputs,
                                 int n_profiles, const tare_streaming *streaming,
                                 const tare_context_options *options, tare_error *err);
void tarei_eval_side_fini(tarei_eval_side *side);

tare_status tarei_eval_side_run(tarei_eval_side *side, const tarei_fitted *fitted, tare_error *err);

/* Discards the results of the current sample. */
void tarei_eval_side_begin(tarei_eval_side *side);
/* Adds the result of a run of the current sample, in a profile. */
void tarei_eval_side_add(tarei_eval_side *side, int profile, const tarei_tally *tally);
/* Counts the current sample; with_metric keeps its part of the metric. */
tare_status tarei_eval_side_commit(tarei_eval_side *side, bool with_metric, tare_error *err);

/* Computes the scores. The caller owns the arrays of the result. */
tare_status tarei_eval_side_conclude(tarei_eval_side *side, tare_eval_result *result,
                                     tare_error *err);

#endif
