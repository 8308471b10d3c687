/*
 * Power-of-two histograms: counts of x in bins of width 2^exponent, aligned at zero, with separate
 * bins for values below zero. If a value does not fit, neighbouring bins merge and the exponent
 * grows. This is exact, so a histogram depends on its values alone and not on their order.
 */
#ifndef TAREI_CALIB_HISTOGRAM_H
#define TAREI_CALIB_HISTOGRAM_H

#include "calib/counts.h"
#include "kernels/kernels.h"

/* Calibrators divide [0, amax] anywhere: amax / 2048 is 4 to 8 bins wide. More bins would not
 * change thresholds, and would not fit into the first-level cache (docs/numerics.md). */
#define TAREI_HISTOGRAM_BITS 14
#define TAREI_HISTOGRAM_BINS (1 << TAREI_HISTOGRAM_BITS)
/* Below 2^-126 a width has no normal float inverse; 2^14 * 2^114 holds every float. */
#define TAREI_HISTOGRAM_MIN_EXPONENT (-126)
#define TAREI_HISTOGRAM_MAX_EXPONENT 114
#define TAREI_HISTOGRAM_NO_EXPONENT INT32_MIN
#define TAREI_HISTOGRAM_BYTES (2 * TAREI_HISTOGRAM_BINS * sizeof(uint16_t)) /* of most of them */

typedef struct tarei_histogram {
  int32_t exponent; /* NO_EXPONENT while all values are zero */
  int64_t zeros;    /* zeros counted while there is no exponent; otherwise in bin 0 of x >= 0 */
  tarei_counts positive, negative; /* x >= 0 and x < 0 */
} tarei_histogram;

void tarei_histogram_init(tarei_histogram *h);
/* Empties it. */
void tarei_histogram_fini(tarei_histogram *h);

/* Smallest exponent with amax < BINS * 2^exponent; amax > 0 and finite. */
int32_t tarei_histogram_exponent(float amax);

/* The following functions return false if memory runs out; only fini may follow then. */

/* Makes room for values up to amax > 0. */
bool tarei_histogram_reserve(tarei_histogram *h, float amax);

/* Counts the values of `o`, at most TAREI_OBSERVE_MOST, with its rows and extremes. If a value is
 * not finite or does not fit, nothing is counted and *fits is false. */
bool tarei_histogram_observe(tarei_histogram *h, const tarei_kernels *kernels, tarei_observe *o,
                             bool *fits);

/* Counts the finite ones of n values, n_finite of them, the largest magnitude being amax. */
bool tarei_histogram_add(tarei_histogram *h, const tarei_kernels *kernels, const float *x, size_t n,
                         int64_t n_finite, float amax);

/* Adds the counts of another histogram. */
bool tarei_histogram_merge(tarei_histogram *h, const tarei_histogram *other);

/* Number of values; -1 if the sum overflows. */
int64_t tarei_histogram_total(const tarei_histogram *h);

#endif
