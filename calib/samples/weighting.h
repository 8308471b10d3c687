/*
 * Weights of samples: the counts of one sample become shares of a fixed number, with integers
 * alone. They depend on the sample alone, so that sums of them depend on neither order nor threads.
 */
#ifndef TAREI_CALIB_SAMPLES_WEIGHTING_H
#define TAREI_CALIB_SAMPLES_WEIGHTING_H

#include "calib/stats.h"

/* What the counts of a sample become: of each sample alike, or of each element of its largest
 * input. */
#define TAREI_SAMPLE_SHARES ((int64_t)1 << 24)
#define TAREI_LENGTH_SHARES ((int64_t)1 << 12)

/* Shares of a sample of n tensors, for another weight than that of elements. */
int64_t tarei_weight_shares(tare_weight weight, const tare_tensor *tensors, int n);

/* Counts the elements of an accumulator, which are those of one sample, as `shares` in all, 1 or
 * more. False if memory runs out; only fini may follow then. */
bool tarei_accumulator_weigh(tarei_accumulator *a, int64_t shares);

/* Moves the counts of one sample into sums, weighed. */
tare_status tarei_stats_weigh(tare_stats *sum, tare_stats *sample, int64_t shares, tare_error *err);

#endif
