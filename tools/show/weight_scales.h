/* Scales of the int8 weights of a layer. */
#ifndef TAREI_TOOLS_SHOW_WEIGHT_SCALES_H
#define TAREI_TOOLS_SHOW_WEIGHT_SCALES_H

#include <tare/tare.h>

#include "tools/json_out.h"

/* ", 64 scales 0.0012 to 0.0094, median 0.0031", or "" for other tensors; the caller frees it. */
char *weight_scales_text(const tare_plan *plan, int layer, int tensor);

/* Adds "weight_scales", an array; nothing for other tensors. */
void weight_scales_json(cJSON *item, const tare_plan *plan, int layer, int tensor);

#endif
