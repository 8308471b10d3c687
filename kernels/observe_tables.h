#ifndef TAREI_KERNELS_OBSERVE_TABLES_H
#define TAREI_KERNELS_OBSERVE_TABLES_H

#include <stdint.h>

#include "kernels/kernels.h"

/* Four tables, so that runs of equal values do not wait for their own last store; more would leave
 * the first cache when values spread wide. Small counters for the same reason: no call is long
 * enough for them to overflow. The room between tables keeps equal bins off the same cache sets. */
enum {
  TAREI_OBSERVE_TABLES = 4,
  TAREI_OBSERVE_TABLE_LENGTH = 2 * TAREI_OBSERVE_BINS + 544,
};
_Static_assert(TAREI_OBSERVE_MOST / TAREI_OBSERVE_TABLES < UINT16_MAX - 64, "a counter overflows");

typedef uint16_t tarei_observe_table[TAREI_OBSERVE_TABLE_LENGTH];

typedef struct tarei_observe_tables {
  _Alignas(64) tarei_observe_table bins[TAREI_OBSERVE_TABLES]; /* those of x >= 0 first */
  uint32_t rows[TAREI_OBSERVE_ROW_BINS];
} tarei_observe_tables;

/* Tables of the calling thread. All counters are zero between calls, so that nobody has to clear
 * what was not touched. */
tarei_observe_tables *tarei_observe_tables_get(void);

#endif
