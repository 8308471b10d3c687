/* Closed branches: those that refuse the runs that take them, and why. */
#ifndef TAREI_TOOLS_SHOW_CLOSED_H
#define TAREI_TOOLS_SHOW_CLOSED_H

#include <tare/model.h>
#include <tare/plan.h>

#include "tools/json_out.h"

/* Nothing where there are none. */
void closed_print_model(const tare_model *model);
void closed_print_plan(const tare_plan *plan);
void closed_json_model(cJSON *object, const tare_model *model);
void closed_json_plan(cJSON *object, const tare_plan *plan);

#endif
