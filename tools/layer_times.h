/* How long the layers of a plan took, one by one and by operator. */
#ifndef TAREI_TOOLS_LAYER_TIMES_H
#define TAREI_TOOLS_LAYER_TIMES_H

#include <tare/tare.h>

#include "tools/json_out.h"

/* A context that was profiled over so many runs. */
typedef struct layer_times {
  const tare_plan *plan;
  const tare_context *context;
  const double *operations; /* of each layer in one run, as plan_operations gives them */
  int64_t runs;
} layer_times;

/* Operations of one run at these symbol values, two a multiply-add: those of each layer, to be
 * freed with free(), and their sum. */
tare_status plan_operations(const tare_plan *plan, const int64_t *values, double **layers,
                            double *sum, tare_error *err);

/* Tables on stdout; ms and operations are those of one run. */
void layer_times_print(const layer_times *t);

/* Adds "layers". */
void layer_times_json(cJSON *object, const layer_times *t);

#endif
