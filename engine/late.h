/* Late steps: those with dims that are known only when they run. */
#ifndef TAREI_ENGINE_LATE_H
#define TAREI_ENGINE_LATE_H

#include "engine/context_parts.h"

/* Allocates memory from the pool of a frame, within the limits; `what` names it in messages. */
tare_status tarei_late_take(tarei_frame *frame, size_t bytes, const char *what, void **out,
                            tare_error *err);

/* Computes the sizes of the outputs of a late step and allocates them. `run` gets the scratch it
 * needs. */
tare_status tarei_late_begin(tarei_frame *frame, const tarei_step *step, tarei_run *run,
                             tare_error *err);
/* Frees the values for which step number s is the last reader. */
void tarei_late_end(tarei_frame *frame, int s);

#endif
