/* Two threads, each on a core of its own, that do their parts of a work at the same time. */
#ifndef TAREI_BENCH_PAIR_H
#define TAREI_BENCH_PAIR_H

#include <stdbool.h>

#include "bench/measure.h"

typedef struct bench_pair {
  bench_work_fn *run[2];
  void *context[2];
} bench_pair;

/* Starts the second thread and pins both; false where there are no two cores. */
bool bench_pair_start(void);
/* Ends the second thread; the first may run everywhere again. */
void bench_pair_stop(void);

/* The calling thread stays on the n-th core that the process may use, or, for -1, on none. */
void bench_pin(int n);

/* A bench_work_fn: both parts of a bench_pair. */
void bench_pair_run(void *pair);

#endif
