/* Bodies of control-flow nodes as parts of a plan. */
#ifndef TAREI_ENGINE_PLAN_CHILDREN_H
#define TAREI_ENGINE_PLAN_CHILDREN_H

#include "engine/plan.h"

/* Adds a finished part for each graph among the node's attributes, in their order. */
tare_status tarei_plan_make_children(tare_plan *plan, const tarei_node *node, tare_error *err);

/* Frees what plan, whole or part, holds itself; not the graph of a part, which its node owns. */
void tarei_plan_fini(tare_plan *plan);

#endif
