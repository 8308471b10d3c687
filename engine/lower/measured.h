/* Dims that a node measures before it runs. */
#ifndef TAREI_ENGINE_LOWER_MEASURED_H
#define TAREI_ENGINE_LOWER_MEASURED_H

#include "engine/step.h"

/* Fills in which symbols of the graph the step measures; step->measured is to be freed. TARE_E_UNSUPPORTED
 * where there are some and the lowering cannot. */
tare_status tarei_measured_find(tarei_step *step, tare_error *err);

/* Writes the dims that output o is going to have behind the symbols of the node that are such dims. */
void tarei_measured_dims(const tarei_step *step, int o, const int64_t *dims, int64_t *values);

#endif
