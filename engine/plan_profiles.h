/* What follows from the profiles of a plan: the values of its symbols, whether it can run at their
 * ends, and the largest sizes of its values. */
#ifndef TAREI_ENGINE_PLAN_PROFILES_H
#define TAREI_ENGINE_PLAN_PROFILES_H

#include "engine/plan.h"

/* Fills plan->symbols. TARE_E_USAGE names a symbol that no profile has. */
tare_status tarei_plan_map_symbols(tare_plan *plan, tare_error *err);

/* Values of the symbols of the graph (plan->n_symbols) from those of the profiles; 1 for measured
 * symbols. */
void tarei_plan_symbols(const tare_plan *plan, const int64_t *profile_symbols, int64_t *symbols);

/* Checks that every node of the root part can run at min, opt and max of each profile;
 * TARE_E_SHAPE. */
tare_status tarei_plan_check_profiles(const tare_plan *plan, tare_error *err);

/* Sets the bounds of a part whose values have places, and the bytes of its slots. Values in pools,
 * and those passed to a body, have none. */
tare_status tarei_part_bound(const tarei_part *part, tare_error *err);

#endif
