/* Threads inside a step: OpenMP, with the team's size given by the run. */
#ifndef TAREI_ENGINE_THREADS_H
#define TAREI_ENGINE_THREADS_H

#include <omp.h>
#include <stddef.h>

/* Number of the calling thread in its team, 0 outside a parallel region. */
static inline int tarei_thread_number(void) { return omp_get_thread_num(); }

/* Threads worth starting for so many elements of light work. */
static inline int tarei_threads_for(const int threads, const size_t elements, const size_t least) {
  const size_t wanted = elements / (least ? least : 1);
  return wanted < 2 ? 1 : wanted < (size_t)threads ? (int)wanted : threads;
}

#endif
