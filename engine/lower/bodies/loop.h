/* What the lowerings of operators that take turns of a body share. */
#ifndef TAREI_ENGINE_LOWER_BODIES_LOOP_H
#define TAREI_ENGINE_LOWER_BODIES_LOOP_H

#include "engine/step.h"

/* Takes all turns of a Loop or JoiningLoop, and keeps what they give out. */
tare_status tarei_loop_measure(const tarei_step *step, const tarei_run *run, int64_t *values,
                               tare_error *err);
tare_status tarei_loop_run(const tarei_step *step, const tarei_run *run, tare_error *err);

#endif
