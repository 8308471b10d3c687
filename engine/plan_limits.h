/* Checks a plan against the limits of its graph. */
#ifndef TAREI_ENGINE_PLAN_LIMITS_H
#define TAREI_ENGINE_PLAN_LIMITS_H

#include "engine/plan.h"

/* Checks a context with this number of threads, and the inputs of a run at the largest shape.
 * TARE_E_LIMIT names the tensor, or the profile that needs most. */
tare_status tarei_plan_check_limits(const tare_plan *plan, int threads, tare_error *err);

/* Bytes of such a context with its inputs; INT64_MAX where that is more. */
int64_t tarei_plan_run_bytes(const tare_plan *plan, int threads);

#endif
