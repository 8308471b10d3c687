/* The passes that made the layers of a plan. */
#ifndef TAREI_TOOLS_SHOW_PASSES_H
#define TAREI_TOOLS_SHOW_PASSES_H

#include <tare/tare.h>

#include "tools/json_out.h"

/* A table of the passes. */
void passes_print(const tare_plan *plan);

/* Adds "passes". */
void passes_json(cJSON *object, const tare_plan *plan);

#endif
