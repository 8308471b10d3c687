/* Divides the work of a step among the threads of its run. */
#ifndef TAREI_ENGINE_THREADS_H
#define TAREI_ENGINE_THREADS_H

#include "base/team.h"
#include "engine/step.h"

/* Computes units [first, end) as thread `thread` of the run. */
typedef void (*tarei_range_fn)(const void *user, size_t first, size_t end, int thread);

/* Divides [0, n) into ranges, several per thread so that a slow one delays little, and calls fn for
 * each. A range has at least `least` units; if there are not enough for two, the caller does all.
 */
void tarei_ranges(const tarei_run *run, size_t n, size_t least, tarei_range_fn fn,
                  const void *user);

/* The same for rows of `row` elements; a range has at least `least` elements. */
void tarei_row_ranges(const tarei_run *run, size_t rows, size_t row, size_t least,
                      tarei_range_fn fn, const void *user);

/* Copies bytes that do not overlap, by all threads. */
void tarei_copy(const tarei_run *run, void *to, const void *from, size_t bytes);

/* Scratch memory of a thread, if each has `bytes`. */
static inline void *tarei_thread_scratch(const tarei_run *const run, const int thread,
                                         const size_t bytes) {
  return (char *)run->scratch + (size_t)thread * bytes;
}

#endif
