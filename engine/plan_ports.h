/* Ports and layers of a plan as people see them. */
#ifndef TAREI_ENGINE_PLAN_PORTS_H
#define TAREI_ENGINE_PLAN_PORTS_H

#include "engine/plan.h"

/* Fills plan->inputs and plan->outputs from the graph. */
tare_status tarei_plan_make_ports(tare_plan *plan, tare_error *err);

/* Prints what tare_plan_layer gives; the plan is finished. */
tare_status tarei_plan_describe_layers(tare_plan *plan, tare_error *err);

#endif
