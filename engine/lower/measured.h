/* Dims that a node measures before it runs. */
#ifndef TAREI_ENGINE_LOWER_MEASURED_H
#define TAREI_ENGINE_LOWER_MEASURED_H

#include "engine/step.h"

/* Writes the dims that output o is going to have behind the symbols of the node that are such dims. */
void tarei_measured_dims(const tarei_step *step, int o, const int64_t *dims, int64_t *values);

#endif
