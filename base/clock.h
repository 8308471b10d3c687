/* Clocks in seconds, for measuring intervals. */
#ifndef TAREI_BASE_CLOCK_H
#define TAREI_BASE_CLOCK_H

#include <time.h>

static inline double tarei_clock(const clockid_t clock) {
  struct timespec t;
  (void)clock_gettime(clock, &t); /* cannot fail for the clocks below */
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double tarei_now(void) {
  return tarei_clock(CLOCK_MONOTONIC);
}

/* To some milliseconds, in a fraction of the time. */
static inline double tarei_now_roughly(void) {
  return tarei_clock(CLOCK_MONOTONIC_COARSE);
}

/* What the calling thread has spent on a processor: a system call. */
static inline double tarei_thread_seconds(void) {
  return tarei_clock(CLOCK_THREAD_CPUTIME_ID);
}

#endif
