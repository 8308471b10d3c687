/* The public description of the ports of a plan. */
#ifndef TAREI_ENGINE_PLAN_PORTS_H
#define TAREI_ENGINE_PLAN_PORTS_H

#include "base/str.h"
#include "engine/plan.h"

/* Sets plan->inputs from a graph whose symbols are not fixed yet, so that its ports keep them. */
tare_status tarei_plan_make_inputs(tare_plan *plan, const tarei_graph *graph, tare_error *err);

/* Sets plan->outputs from the graph of the plan. */
tare_status tarei_plan_make_outputs(tare_plan *plan, tare_error *err);

/* Keeps a text with the plan, which then owns it; NULL if memory ran out. */
const char *tarei_plan_keep(tare_plan *plan, tarei_str *text);

#endif
