/* Bodies: how the step of an If, Loop or Scan runs the graphs that belong to it. */
#ifndef TAREI_ENGINE_CALL_H
#define TAREI_ENGINE_CALL_H

#include "engine/step.h"

/* Runs body number `body` of the step (in the order of its attributes). `formal` are the body's
 * formal inputs, read where they lie; what it captures comes from the step's own operands. */
tare_status tarei_call(const tarei_step *step, const tarei_run *run, int body,
                       const tare_tensor *formal, tare_error *err);

/* An output of the body's last run: a view into memory that stays as it is until the body runs
 * again. */
const tare_tensor *tarei_call_output(const tarei_step *step, const tarei_run *run, int body,
                                     int output);

/* Sets number k that the step measures, for dims inside its bodies; nothing where no dim needs it.
 */
void tarei_call_measured(const tarei_step *step, const tarei_run *run, int k, int64_t value);

/* n tensors (the same number in each call), where a step keeps what `measure` has computed for
 * `run`; all zero at first. What their data point to comes from tarei_call_take. NULL: out of
 * memory. */
tare_tensor *tarei_call_results(const tarei_step *step, const tarei_run *run, int n);

/* The dims of results[o] behind the numbers that the step measures: number o * TARE_MAX_RANK + d is
 * axis d of output o, and those after the outputs' are 0. Outputs that nothing has computed (data
 * NULL) become empty ones of their type. */
void tarei_call_dims(const tarei_step *step, tare_tensor *results, int64_t *values);

/* Copies results to the step's outputs, and gives the memory of all n back. */
void tarei_call_hand_out(const tarei_step *step, const tarei_run *run, tare_tensor *results, int n);

/* Counts one more turn of a loop; TARE_E_LIMIT when the run has taken too many. */
tare_status tarei_call_turn(const tarei_step *step, const tarei_run *run, tare_error *err);

/* Memory of the context, to be given back in the same run of the step. TARE_E_MEMORY, TARE_E_LIMIT.
 */
tare_status tarei_call_take(const tarei_step *step, const tarei_run *run, size_t bytes, void **out,
                            tare_error *err);
void tarei_call_give(const tarei_run *run, const void *data); /* NULL is fine */

#endif
