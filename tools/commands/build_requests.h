/* What requests by name cost: the plan compared with the one that is built without them. */
#ifndef TAREI_TOOLS_COMMANDS_BUILD_REQUESTS_H
#define TAREI_TOOLS_COMMANDS_BUILD_REQUESTS_H

#include "tools/json_out.h"
#include "tools/options/options.h"

/* Of one run at the opt of profile 0. */
typedef struct plan_work {
  int conversions;   /* layers that only convert between float and int8 */
  double bytes;      /* read and written by all layers */
  double macs, int8; /* multiply-adds; those of int8 and int16 layers */
} plan_work;

typedef struct requests_cost {
  bool known;  /* there are requests, and int8 layers with or without them */
  int changed; /* layers with another precision or other types than without requests */
  plan_work with, without;
  char *added; /* names of layers that convert because of the requests */
} requests_cost;

/* Builds a second plan without requests if `given` has any; free with requests_cost_fini. */
tare_status requests_cost_of(const tare_plan *plan, const tare_model *model,
                             const tare_build_options *given, requests_cost *out, tare_error *err);
void requests_cost_fini(requests_cost *cost);

/* A warning if the requests add conversions. */
void requests_cost_warn(const requests_cost *cost, const opt_common *common);
/* A line of the report of the build. */
void requests_cost_print(const requests_cost *cost);
/* Adds "requests". */
void requests_cost_json(const requests_cost *cost, cJSON *object);

#endif
