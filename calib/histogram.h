/*
 * Power-of-two histograms: int64 counts of x in bins of width 2^exponent aligned at zero, values
 * below zero apart. When a value does not fit, neighbours merge and the exponent grows: exact, so
 * that a histogram depends on the multiset of its values alone.
 */
#ifndef TAREI_CALIB_HISTOGRAM_H
#define TAREI_CALIB_HISTOGRAM_H

#include "kernels/kernels.h"

/* Few enough that the counters of a pass stay in the first cache, and that threads join fast. */
#define TAREI_HISTOGRAM_BITS 11
#define TAREI_HISTOGRAM_BINS (1 << TAREI_HISTOGRAM_BITS)
/* Below 2^-126 a width has no normal float inverse; 2048 * 2^117 holds every float. */
#define TAREI_HISTOGRAM_MIN_EXPONENT (-126)
#define TAREI_HISTOGRAM_MAX_EXPONENT 117
#define TAREI_HISTOGRAM_NO_EXPONENT INT32_MIN

typedef struct tarei_histogram {
  int32_t exponent;  /* NO_EXPONENT until a value other than zero came */
  int64_t zeros;     /* counted here while there is no exponent, else in positive[0] */
  int64_t *positive; /* [BINS], x >= 0; NULL while there is no exponent */
  int64_t *negative; /* [BINS], x < 0; the second half of the same block */
} tarei_histogram;

void tarei_histogram_init(tarei_histogram *h);
void tarei_histogram_fini(tarei_histogram *h);
/* Empties it but keeps its memory. */
void tarei_histogram_reset(tarei_histogram *h);

/* Smallest exponent with amax < BINS * 2^exponent; amax > 0 and finite. */
int32_t tarei_histogram_exponent(float amax);

/* Makes room for values up to amax > 0. False when out of memory. */
bool tarei_histogram_reserve(tarei_histogram *h, float amax);

/* Counts the finite ones of n values, n_finite of them, the largest magnitude being amax. */
bool tarei_histogram_add(tarei_histogram *h, const tarei_kernels *kernels, const float *x, size_t n,
                         int64_t n_finite, float amax);

/* Adds the counts of another histogram. */
bool tarei_histogram_merge(tarei_histogram *h, const tarei_histogram *other);

/* Counts of |x| (BINS of them; all zero without exponent), and how many values there are. */
void tarei_histogram_magnitudes(const tarei_histogram *h, int64_t *bins);
int64_t tarei_histogram_total(const tarei_histogram *h);

#endif
