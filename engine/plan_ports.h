/* The public description of the ports and layers of a plan. */
#ifndef TAREI_ENGINE_PLAN_PORTS_H
#define TAREI_ENGINE_PLAN_PORTS_H

#include "engine/plan.h"

/* Sets plan->inputs from a graph whose symbols are not fixed yet, so that its ports keep them. */
tare_status tarei_plan_make_inputs(tare_plan *plan, const tarei_graph *graph, tare_error *err);

/* Sets plan->outputs from the graph of the plan. */
tare_status tarei_plan_make_outputs(tare_plan *plan, tare_error *err);

/* Prepares the strings of tare_plan_layer; the plan must be finished. */
tare_status tarei_plan_describe_layers(tare_plan *plan, tare_error *err);

#endif
