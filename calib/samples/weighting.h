/*
 * Weights of samples: the counts of one sample become shares of a fixed number, with integers
 * alone. They depend on the sample alone, so that sums of them depend on neither order nor threads.
 */
#ifndef TAREI_CALIB_WEIGHTING_H
#define TAREI_CALIB_WEIGHTING_H

#include "calib/stats.h"

/* Counts the elements of an accumulator, which are those of one sample, as TAREI_SAMPLE_WEIGHT in
 * all. False if memory runs out; only fini may follow then. */
#define TAREI_SAMPLE_WEIGHT ((int64_t)1 << 24)
bool tarei_accumulator_weigh(tarei_accumulator *a);

/* Moves the counts of one sample into sums, weighed. */
tare_status tarei_stats_weigh(tare_stats *sum, tare_stats *sample, tare_error *err);

#endif
