/* Whether two histograms hold the same counts, however wide their counters are. */
#ifndef TAREI_TESTS_UNIT_CALIB_SAME_HISTOGRAM_H
#define TAREI_TESTS_UNIT_CALIB_SAME_HISTOGRAM_H

#include "calib/histogram.h"

static inline void assert_same_counts(const tarei_counts *const a, const tarei_counts *const b) {
  for (int p = 0; p < TAREI_COUNTS_PAGES; p++) {
    int64_t x[TAREI_COUNTS_PAGE], y[TAREI_COUNTS_PAGE];
    tarei_counts_get(a, p, x);
    tarei_counts_get(b, p, y);
    assert_memory_equal(x, y, sizeof x);
  }
}

static inline void assert_same_histogram(const tarei_histogram *const a,
                                         const tarei_histogram *const b) {
  assert_int_equal(a->exponent, b->exponent);
  assert_int_equal(a->zeros, b->zeros);
  assert_same_counts(&a->positive, &b->positive);
  assert_same_counts(&a->negative, &b->negative);
}

#endif
