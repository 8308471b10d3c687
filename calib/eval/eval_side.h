/* One plan of an evaluation: its context, what it gave for the sample at hand, and its tallies. */
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
  tarei_fitted fitted;       /* of a chunk, where states do */
  tarei_tally *tallies;      /* per profile of the evaluation, then the total */
  tarei_tally *pending;      /* the same of the sample that is taken */
  int n_tallies;
  tare_metric_tally *samples; /* the metric of each sample that counted */
  int64_t n_samples;
  size_t cap_samples;
  double seconds;
} tarei_eval_side;

/* Opens the plan. Zero-initialise first and end with _fini. `streaming` may be NULL. */
tare_status tarei_eval_side_init(tarei_eval_side *side, const tare_plan *plan, int n_outputs,
                                 int n_profiles, const tare_streaming *streaming,
                                 const tare_context_options *options, tare_error *err);
void tarei_eval_side_fini(tarei_eval_side *side);

tare_status tarei_eval_side_run(tarei_eval_side *side, const tare_tensor *inputs, tare_error *err);

/* Forgets what a sample has brought so far. */
void tarei_eval_side_begin(tarei_eval_side *side);
/* Adds a run of the sample at hand, in a profile. */
void tarei_eval_side_add(tarei_eval_side *side, int profile, const tarei_tally *tally);
/* Counts the sample at hand; with_metric keeps its part of the metric. */
tare_status tarei_eval_side_commit(tarei_eval_side *side, bool with_metric, tare_error *err);

/* Scores; the arrays of the result become the caller's. */
tare_status tarei_eval_side_conclude(tarei_eval_side *side, tare_eval_result *result,
                                     tare_error *err);

#endif
