/* What statistics read from a tensor: extremes, bins, and magnitudes of rows. */
#ifndef TAREI_KERNELS_FAMILIES_OBSERVING_H
#define TAREI_KERNELS_FAMILIES_OBSERVING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tarei_minmax {
  float min, max;        /* over finite values; start with +INFINITY, -INFINITY */
  uint64_t n_nan, n_inf; /* added to */
} tarei_minmax;
typedef void tarei_minmax_fn(const float *x, size_t n, tarei_minmax *m);

/* Bins of one sign and bins of rows at most, and elements of one call at most: none of the small
 * counters overflows. */
#define TAREI_OBSERVE_BINS (1 << 14)
#define TAREI_OBSERVE_PAGE 256 /* bins */
#define TAREI_OBSERVE_ROW_BINS 256
#define TAREI_OBSERVE_MOST UINT16_MAX

typedef struct tarei_observe {
  const float *x;             /* [n_rows][n_columns], contiguous */
  size_t n_rows, n_columns;
  int exponent;               /* -126..114; bins are 2^exponent wide */
  int bins;                   /* of one sign, a power of two */
  uint16_t *counts;           /* [2][TAREI_OBSERVE_BINS]: x >= 0, x < 0; by floor(|x| * 2^-exponent) */
  uint64_t pages[2];          /* of both signs, a bit a page: out, where counts may have changed */
  int64_t *rows;              /* [256] rows by the exponent field of their largest magnitude, or NULL */
  float min, max;             /* start with +INFINITY, -INFINITY */
} tarei_observe;
/* Adds all elements to the counts and extremes. False when one of them is not finite or no |x| < bins *
 * 2^exponent: counts are then spoiled, and the rest is unchanged. */
typedef bool tarei_observe_fn(tarei_observe *o);

#endif
