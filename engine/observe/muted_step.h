/* Steps of a muted run (engine/observe/muted.h). */
#ifndef TAREI_ENGINE_OBSERVE_MUTED_STEP_H
#define TAREI_ENGINE_OBSERVE_MUTED_STEP_H

#include "engine/plan.h"

/* Inputs of layers of products that are left of them: their bias, and TAREI_INT8_RESIDUAL. */
enum { TAREI_MUTED_BIAS = 2 };

bool tarei_step_has_products(const tarei_step *step);

/* Whether step s of a part is muted in this run of the context. Products that follow from lengths
 * alone are not: they are no layers, and kept for other runs. */
bool tarei_step_is_muted(const tare_context *context, const tarei_part *part, int s);

/* Writes what is left of a muted step. */
void tarei_step_run_muted(const tarei_step *step, const tarei_run *run);

#endif
