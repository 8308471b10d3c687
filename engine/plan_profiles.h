/* What the profiles say of a plan: the values of its symbols, whether it can run at their ends, how
 * large its values get. */
#ifndef TAREI_ENGINE_PLAN_PROFILES_H
#define TAREI_ENGINE_PLAN_PROFILES_H

#include "engine/plan.h"

/* Fills plan->symbols. TARE_E_USAGE names a symbol that no profile has. */
tare_status tarei_plan_map_symbols(tare_plan *plan, tare_error *err);

/* Values of the graph's own symbols (plan->n_symbols), from those of the profiles; 1 for those that
 * nodes measure. */
void tarei_plan_symbols(const tare_plan *plan, const int64_t *profile_symbols, int64_t *symbols);

/* Every node of the root part has something to do at min, opt and max of each profile; else
 * TARE_E_SHAPE. */
tare_status tarei_plan_check_profiles(const tare_plan *plan, tare_error *err);

/* Fills the bounds of a part that is placed, and the bytes of its slots. What is in pools, or is
 * handed to a body, has none. */
tare_status tarei_part_bound(const tarei_part *part, tare_error *err);

#endif
