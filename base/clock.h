/* Seconds of a monotonic clock, for measuring intervals. */
#ifndef TAREI_BASE_CLOCK_H
#define TAREI_BASE_CLOCK_H

#include <time.h>

static inline double tarei_now(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t); /* cannot fail for this clock */
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
