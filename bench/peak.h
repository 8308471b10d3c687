/* The most one core can do, measured here and now: the clock moves, so every figure is put beside a
 * peak of the same moment. */
#ifndef BENCH_PEAK_H
#define BENCH_PEAK_H

#include <stdbool.h>

/* Multiplications and additions a second at best on int8 or float with the fastest instruction of
 * `isa`, whose name goes to *name; 0 when no loop is known. */
double bench_peak_rate(bool bytes, unsigned isa, const char **name);

#endif
