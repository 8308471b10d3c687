/* What the table of a build says, but the plan cannot use. */
#ifndef TAREI_ENGINE_LAYERS_UNUSED_H
#define TAREI_ENGINE_LAYERS_UNUSED_H

#include "engine/plan.h"
#include "graph/table/named.h"

/* Keeps the names of the items for which unused[list.n] is set. */
tare_status tarei_plan_keep_unused(tare_plan *plan, tarei_named list, const bool *unused,
                                   tarei_unused *out, tare_error *err);

#endif
