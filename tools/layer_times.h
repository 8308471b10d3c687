/* How long the layers of a plan took, one by one and by operator. */
#ifndef TARE_TOOLS_LAYER_TIMES_H
#define TARE_TOOLS_LAYER_TIMES_H

#include <tare/tare.h>

#include "tools/json_out.h"

/* A context that was profiled over so many runs at these symbol values. */
typedef struct layer_times {
  const tare_plan *plan;
  const tare_context *context;
  const int64_t *values;
  int64_t runs;
} layer_times;

/* Operations of one run: two a multiply-add. */
double plan_operations(const tare_plan *plan, const int64_t *values);

/* Tables on stdout; ms and operations are those of one run. */
void layer_times_print(const layer_times *t);

/* Adds "layers". */
void layer_times_json(cJSON *object, const layer_times *t);

#endif
