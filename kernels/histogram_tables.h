#ifndef TAREI_KERNELS_HISTOGRAM_TABLES_H
#define TAREI_KERNELS_HISTOGRAM_TABLES_H

#include <stdint.h>

/* Four tables, so that runs of equal values do not wait for their own last store. Small counters,
 * so that they stay in the first caches; they are emptied before they can overflow. */
enum {
  TAREI_HISTOGRAM_TABLES = 4,
  TAREI_HISTOGRAM_BINS = 4096,                       /* of one sign */
  TAREI_HISTOGRAM_LEFT_OUT = 2 * TAREI_HISTOGRAM_BINS, /* where NaN and Inf go */
  TAREI_HISTOGRAM_LENGTH = TAREI_HISTOGRAM_LEFT_OUT + 32,
};

typedef uint16_t tarei_histogram_table[TAREI_HISTOGRAM_LENGTH];

/* TAREI_HISTOGRAM_TABLES tables of the calling thread, positive bins first. All counters but those
 * left out are zero between calls, so nobody has to clear what was not touched. */
tarei_histogram_table *tarei_histogram_tables(void);

#endif
