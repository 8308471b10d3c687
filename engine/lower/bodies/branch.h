/* Runs a branch of an If, or says why it cannot run and at which lengths it could. */
#ifndef TAREI_ENGINE_LOWER_BODIES_BRANCH_H
#define TAREI_ENGINE_LOWER_BODIES_BRANCH_H

#include "engine/step.h"

/* As tarei_call, of a body without formal inputs. TARE_E_UNSUPPORTED or TARE_E_SHAPE where the
 * branch is closed (graph/closed.h). */
tare_status tarei_branch_call(const tarei_step *step, const tarei_run *run, int body,
                              tare_error *err);

#endif
