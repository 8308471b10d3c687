/* Functions with which the step of an If, Loop or Scan runs its bodies. */
#ifndef TAREI_ENGINE_CALL_H
#define TAREI_ENGINE_CALL_H

#include "engine/step.h"

/* Runs body number `body` of the step, in the order of its attributes. `formal` are the formal
 * inputs of the body, which are read in place; captured values come from the operands of the step.
 */
tare_status tarei_call(const tarei_step *step, const tarei_run *run, int body,
                       const tare_tensor *formal, tare_error *err);

/* An output of the last run of a body: a view that is valid until the body runs again. */
const tare_tensor *tarei_call_output(const tarei_step *step, const tarei_run *run, int body,
                                     int output);

/* Sets number k that the step measures, for dims inside its bodies; does nothing if no dim needs
 * it. */
void tarei_call_measured(const tarei_step *step, const tarei_run *run, int k, int64_t value);

/* n tensors (the same number in each call) in which a step keeps the results of `measure` for
 * `run`; initially zeroed. Their data comes from tarei_call_take. NULL if memory runs out. */
tare_tensor *tarei_call_results(const tarei_step *step, const tarei_run *run, int n);

/* Sets the numbers that the step measures to the dims of results[o]: number o * TARE_MAX_RANK + d
 * is axis d of output o, and the numbers after those of the outputs are 0. Outputs that were not
 * computed (data NULL) become empty tensors of their type. */
void tarei_call_dims(const tarei_step *step, tare_tensor *results, int64_t *values);

/* Copies results to the outputs of the step, and frees the memory of all n. */
void tarei_call_hand_out(const tarei_step *step, const tarei_run *run, tare_tensor *results, int n);

/* Counts one iteration of a loop; TARE_E_LIMIT if the run has had too many, or takes too long. */
tare_status tarei_call_turn(const tarei_step *step, const tarei_run *run, tare_error *err);

/* Allocates memory of the context, to be freed in the same run of the step. TARE_E_MEMORY,
 * TARE_E_LIMIT. */
tare_status tarei_call_take(const tarei_step *step, const tarei_run *run, size_t bytes, void **out,
                            tare_error *err);
void tarei_call_give(const tarei_run *run, const void *data); /* NULL is allowed */

#endif
