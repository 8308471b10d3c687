/* The inside of contexts, for calibration and evaluation. */
#ifndef TAREI_ENGINE_CONTEXT_H
#define TAREI_ENGINE_CONTEXT_H

#include <tare/plan.h>

#include "base/team.h"
#include "engine/observer.h"

/* Observable tensors of a plan (float, named as in the model), numbered densely. */
int tarei_plan_n_observable(const tare_plan *plan);
const char *tarei_plan_observable_name(const tare_plan *plan, int i);

/* Sets or clears (NULL) the observer; kept until changed. */
void tarei_context_set_observer(tare_context *context, tarei_observer_fn observe, void *user);

/* The threads of a context, for its caller between two runs and for its observer. */
tarei_team *tarei_context_team(const tare_context *context);

/* Runs like tare_context_run on fitted inputs, of which only the part that `valid_symbols` (one per
 * symbol of the plan's profiles) span is real data; observations carry that part and `bucket`.
 * outputs may be NULL. */
tare_status tarei_context_run_valid(tare_context *context, const tare_tensor *inputs,
                                    const int64_t *valid_symbols, int bucket,
                                    tare_tensor *outputs, tare_error *err);

/* Valid extents of an output's dims for given valid symbol values, clipped to what the last run
 * produced. */
tare_status tarei_context_output_valid(const tare_context *context, int output,
                                       const int64_t *valid_symbols, int64_t *extents,
                                       tare_error *err);

#endif
