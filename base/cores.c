#include "base/cores.h"

#include <sched.h>
#include <tare/tare.h>
#include <unistd.h>

#include "base/quota.h"

enum { MOST_CORES = 1 << 16 };

/* The system refuses a set that is smaller than its own: larger ones are tried. */
static int allowed_cores(void) {
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

/* Threads that work all the time stop together when they have used up a quota, which costs more
 * than the part of a core that is left unused. */
int tare_cores(void) {
  const int allowed = allowed_cores();
  const double quota = tarei_cpu_quota("");
  return quota >= allowed ? allowed : quota >= 1 ? (int)quota : 1;
}

size_t tarei_core_cache_bytes(void) {
  const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? (size_t)bytes : (size_t)1 << 20;
}
