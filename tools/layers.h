/* Layers of a plan: by precision, and why some stay float. */
#ifndef TAREI_TOOLS_LAYERS_H
#define TAREI_TOOLS_LAYERS_H

#include "tools/json_out.h"
#include "tools/options/options.h"

/* "int8 12, fp32 3" in order of first use; the caller frees it. */
char *layers_by_precision(const tare_plan *plan);

/* A table of the layers that did not get what was asked, with the reason; nothing if there are
 * none. */
void layers_print_reasons(const tare_plan *plan);

/* A table of all layers. */
void layers_print(const tare_plan *plan);

/* Adds "precisions" and "layers". */
void layers_json(cJSON *object, const tare_plan *plan);

#endif
