/* How long trials of plans take, foreseen by counts: what depends on it is the same on every
 * machine. */
#ifndef TAREI_TOOLS_TUNE_EFFORT_H
#define TAREI_TOOLS_TUNE_EFFORT_H

#include "tools/score.h"

/* Of a model. Seconds are those of a slow core. */
typedef struct effort {
  double operations;    /* of a run over a sample */
  double build, sample; /* seconds: of building a plan, of its run over a sample */
} effort;

/* `plan` is one of the model; `result` that of a run over a few samples, or the first of several.
 */
tare_status effort_of_model(const tare_model *model, const tare_plan *plan,
                            const tare_eval_result *result, effort *out, tare_error *err);

/* Seconds of a trial: a plan is built, and runs over the samples. */
double effort_of_trial(const effort *e, int64_t samples);

#endif
