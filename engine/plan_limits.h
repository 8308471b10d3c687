/* Whether what a plan runs keeps to the limits of its graph. */
#ifndef TAREI_ENGINE_PLAN_LIMITS_H
#define TAREI_ENGINE_PLAN_LIMITS_H

#include "engine/plan.h"

/* A context with so many threads, and the inputs of a run at the largest shape. TARE_E_LIMIT names
 * the tensor, or the profile that asks for most. */
tare_status tarei_plan_check_limits(const tare_plan *plan, int threads, tare_error *err);

#endif
