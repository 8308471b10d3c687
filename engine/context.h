/* The internals of tare_context that calibration and evaluation need. */
#ifndef TAREI_ENGINE_CONTEXT_H
#define TAREI_ENGINE_CONTEXT_H

#include <tare/plan.h>

#include "base/team.h"
#include "engine/observe/observer.h"
#include "engine/observe/readers.h"
#include "engine/samples/sample_hash.h"

/* Observable tensors of a plan (float, named as in the model), numbered densely. */
int tarei_plan_n_observable(const tare_plan *plan);
const char *tarei_plan_observable_name(const tare_plan *plan, int i);
/* Whether an int8 layer reads the tensor, or what is moved from it. */
bool tarei_plan_observable_is_read(const tare_plan *plan, int i);

/* Sets the observer until it is changed; NULL: none. */
void tarei_context_set_observer(tare_context *context, tarei_observer_fn observe, void *user);

/* Sets the watcher until it is changed; NULL: none. */
void tarei_context_set_watcher(tare_context *context, tarei_watcher_fn watch, void *user);

/* Sets who is shown the rows of layers until it is changed; NULL: nobody. */
void tarei_context_set_reading(tare_context *context, tarei_reading_fn read, void *user);

/* The threads of a context, for use by its caller between runs and by its observer. */
tarei_team *tarei_context_team(const tare_context *context);

/* Sets the sample that the next runs are of, and which of its runs they are (0 for one that is a
 * single run): steps that draw random numbers draw by it, not by the contents of the inputs, which
 * may have been padded, and among which are states. NULL: by the inputs. */
void tarei_context_set_sample(tare_context *context, const tarei_sample_hash *sample, int64_t run);

/* Like tare_context_run, for fitted inputs. Only the part of them given by `valid_symbols`, one per
 * symbol of the profiles of the plan, is real data; observers get the valid part and `bucket`.
 * outputs may be NULL. */
tare_status tarei_context_run_valid(tare_context *context, const tare_tensor *inputs,
                                    const int64_t *valid_symbols, int bucket, tare_tensor *outputs,
                                    tare_error *err);

/* Extents of the valid part of an output for given valid symbol values, limited to the dims of the
 * last run. */
tare_status tarei_context_output_valid(const tare_context *context, int output,
                                       const int64_t *valid_symbols, int64_t *extents,
                                       tare_error *err);

#endif
