/* How a step shares out its work among the threads of its run. */
#ifndef TAREI_ENGINE_THREADS_H
#define TAREI_ENGINE_THREADS_H

#include "base/team.h"
#include "engine/step.h"

/* Computes units [first, end) as thread `thread` of the run. */
typedef void (*tarei_range_fn)(const void *user, size_t first, size_t end, int thread);

/* Cuts [0, n) into ranges, several for each thread so that a slow one holds up little, and calls fn
 * for each. `least` units are worth a range of their own; fewer than two such go to the caller. */
void tarei_ranges(const tarei_run *run, size_t n, size_t least, tarei_range_fn fn,
                  const void *user);

/* The same for rows of `row` elements, of which `least` elements are worth a range of their own. */
void tarei_row_ranges(const tarei_run *run, size_t rows, size_t row, size_t least,
                      tarei_range_fn fn, const void *user);

/* Scratch of a thread, where each has `bytes`. */
static inline void *tarei_thread_scratch(const tarei_run *const run, const int thread,
                                         const size_t bytes) {
  return (char *)run->scratch + (size_t)thread * bytes;
}

#endif
