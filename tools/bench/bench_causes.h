/* Why int8 gains no more: each layer has one cause, and its time counts there. */
#ifndef TAREI_TOOLS_BENCH_BENCH_CAUSES_H
#define TAREI_TOOLS_BENCH_BENCH_CAUSES_H

#include "tools/bench/bench_advice_types.h"
#include "tools/json_out.h"

/* A table of the causes with the slowest layers of each; nothing for a plan without int8 layers. */
void bench_causes_print(const bench_advice *a);
void bench_causes_json(cJSON *advice, const bench_advice *a); /* adds "causes" */

#endif
