#include "base/cores.h"

#include <sched.h>
#include <unistd.h>

enum { MOST_CORES = 1 << 16 };

/* The system refuses a set that is smaller than its own: larger ones are tried. */
int tarei_cores(void) {
  for (int n = CPU_SETSIZE; n <= MOST_CORES; n *= 2) {
    cpu_set_t *const set = CPU_ALLOC((size_t)n);
    const size_t bytes = CPU_ALLOC_SIZE((size_t)n);
    const int count = set && sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0) {
      return count;
    }
  }
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 && online <= MOST_CORES ? (int)online : 1;
}

size_t tarei_core_cache_bytes(void) {
  const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? (size_t)bytes : (size_t)1 << 20;
}
