/* Ports and layers of a plan as people see them. */
#ifndef TAREI_ENGINE_PLAN_PORTS_H
#define TAREI_ENGINE_PLAN_PORTS_H

#include "engine/plan.h"

/* Fills plan->inputs from a graph whose symbols are not fixed yet: they stay in its ports. */
tare_status tarei_plan_make_inputs(tare_plan *plan, const tarei_graph *graph, tare_error *err);

/* Fills plan->outputs from the plan's graph. */
tare_status tarei_plan_make_outputs(tare_plan *plan, tare_error *err);

/* Prints what tare_plan_layer gives; the plan is finished. */
tare_status tarei_plan_describe_layers(tare_plan *plan, tare_error *err);

#endif
