/* Steps some of whose dims are known only when their turn comes. */
#ifndef TAREI_ENGINE_LATE_H
#define TAREI_ENGINE_LATE_H

#include "engine/frame.h"

/* Memory from the pool of a frame, within the limits; `what` names it in messages. */
tare_status tarei_late_take(tarei_frame *frame, size_t bytes, const char *what, void **out,
                            tare_error *err);

/* Sizes and memory of what a late step writes. `run` gets the scratch it needs. */
tare_status tarei_late_begin(tarei_frame *frame, const tarei_step *step, tarei_run *run,
                             tare_error *err);
/* Gives back what step number s was the last to read. */
void tarei_late_end(tarei_frame *frame, int s);

#endif
