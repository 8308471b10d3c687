/* Scores: figures of the errors of samples, by output and level, of which the worst decides. */
#ifndef TAREI_CALIB_EVAL_EVAL_SCORE_H
#define TAREI_CALIB_EVAL_EVAL_SCORE_H

#include <tare/eval.h>

/* Errors of samples in columns: by level, and in each by output. */
typedef struct tarei_score_errors {
  const tare_error_tally *errors;
  int n_columns, n_outputs;
  const tare_eval_score *outputs; /* of which only the kinds of agreement are read; NULL: none */
  const int64_t *samples;         /* numbers of those that count; NULL: the first n */
  int64_t n;
} tarei_score_errors;

/* Sets what follows from errors; without samples the figures are NAN. `samples`, `other_shapes` and
 * the metric stay as they are. */
tare_status tarei_score_fill(const tarei_score_errors *errors, tare_eval_score *score,
                             tare_error *err);

/* Sets all scores of a result that follow from its errors. `samples`: facts about its n_samples
 * samples, of which the scores by profile are. */
tare_status tarei_score_result(tare_eval_result *result, const tare_eval_sample *samples,
                               tare_error *err);

#endif
