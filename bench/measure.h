/* What every measuring program needs: the best of many short rounds, and memory. */
#ifndef TAREI_BENCH_MEASURE_H
#define TAREI_BENCH_MEASURE_H

#include <stddef.h>

typedef void bench_work_fn(void *context);

/* Seconds of one call, the best of some short rounds: a neighbour seldom falls into all of them. */
double bench_best_time(bench_work_fn *work, void *context);

typedef struct measured_work {
  bench_work_fn *run;
  void *context;
  double best; /* result: seconds of one call */
} measured_work;

/* The same for several works, a round of each in turn: all meet the same clock and neighbours, so
 * that their ratios hold. */
void bench_best_times(measured_work *works, int n);

/* Zeroed, aligned to a cache line, large blocks to a huge page; ends the program when there is
 * none. free() ends it. */
void *bench_allocate(size_t bytes);

#endif
