/* The most one core can do, measured here and now: the clock moves, so every figure is put beside a
 * peak of the same moment. */
#ifndef TAREI_BENCH_PEAK_H
#define TAREI_BENCH_PEAK_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/measure.h"

/* Multiplications and additions a second at best on int8 or float with the fastest instruction of
 * `isa`, whose name goes to *name; 0 when no loop is known. */
double bench_peak_rate(bool bytes, unsigned isa, const char **name);

/* The loop itself, for measuring it in turn with other work; its context is NULL. */
typedef struct bench_peak {
  bench_work_fn *run;
  const char *name;
  double operations; /* of one call */
} bench_peak;

/* NULL when no loop is known. */
const bench_peak *bench_peak_loop(bool bytes, unsigned isa);

/* Work that reads memory as fast as it can; the context is a bench_block. Copying writes to the
 * second half what it reads from the first. */
typedef struct bench_block {
  char *p;      /* aligned to a cache line */
  size_t bytes; /* a multiple of 1024 */
} bench_block;
void bench_read(void *block);
void bench_copy(void *block);

#endif
