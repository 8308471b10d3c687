/* What the times of the layers suggest. */
#ifndef TAREI_TOOLS_BENCH_BENCH_ADVICE_H
#define TAREI_TOOLS_BENCH_BENCH_ADVICE_H

#include "tools/bench/bench_advice_types.h"
#include "tools/json_out.h"
#include "tools/layer_times.h"

/* Measures copies on so many threads. */
tare_status bench_advice_new(const layer_times *times, const int64_t *values, int threads,
                             bench_advice *out, tare_error *err);
void bench_advice_fini(bench_advice *a);

void bench_advice_print(const bench_advice *a);
void bench_advice_json(cJSON *object, const bench_advice *a); /* adds "advice" */

#endif
