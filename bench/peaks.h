/* Peaks of several cores at once. */
#ifndef TAREI_BENCH_PEAKS_H
#define TAREI_BENCH_PEAKS_H

#include <stdbool.h>

/* Like bench_peak_rate, summed over so many threads that run the loop at the same time. */
double bench_peak_of(bool bytes, unsigned isa, int threads, const char **name);

#endif
