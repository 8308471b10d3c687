/*
 * Counts of the bins of one sign. They are stored in pages. A page is allocated with its first
 * count, and its counters are as wide as the largest one needs, because most bins are in the tails
 * of a distribution, with few values or none.
 */
#ifndef TAREI_CALIB_COUNTS_H
#define TAREI_CALIB_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernels.h"

enum {
  TAREI_COUNTS_PAGE = TAREI_OBSERVE_PAGE, /* bins */
  TAREI_COUNTS_PAGES = TAREI_OBSERVE_BINS / TAREI_OBSERVE_PAGE,
};

typedef struct tarei_counts {
  void *pages[TAREI_COUNTS_PAGES];    /* [TAREI_COUNTS_PAGE] counters each; NULL: all are zero */
  uint8_t widths[TAREI_COUNTS_PAGES]; /* bytes of a counter: 2, 4 or 8; its top bit is 0 */
} tarei_counts;

/* Sets all counts to zero and frees them. */
void tarei_counts_clear(tarei_counts *c);

/* Adds counts to one page. False if memory runs out. */
bool tarei_counts_add(tarei_counts *c, int page, const int64_t *from);
bool tarei_counts_add_small(tarei_counts *c, int page, const uint16_t *from);

/* Adds all counts of another. False if memory runs out. */
bool tarei_counts_merge(tarei_counts *c, const tarei_counts *other);

/* Merges 2^shift neighbours into one bin. False if memory runs out, with counts lost. */
bool tarei_counts_join(tarei_counts *c, int shift);

/* The counts of one page. */
void tarei_counts_get(const tarei_counts *c, int page, int64_t *out);

/* Sum of all counts; -1 if it overflows. */
int64_t tarei_counts_total(const tarei_counts *c);

/* Prefetches a page to which counts will be added soon. */
static inline void tarei_counts_fetch(const tarei_counts *const c, const int page) {
  enum { LINE = 64 };
  for (int i = 0; c->pages[page] && i < c->widths[page] * TAREI_COUNTS_PAGE; i += LINE) {
    __builtin_prefetch((const char *)c->pages[page] + i, 1 /* to write */);
  }
}

#endif
