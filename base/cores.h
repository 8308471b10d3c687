/* The number of cores that this process may use, and the cache of a core. */
#ifndef TAREI_BASE_CORES_H
#define TAREI_BASE_CORES_H

#include <stddef.h>

/* Cores that the calling thread is allowed to run on and has time for, at least 1: by its affinity,
 * and by the whole cores of its quota. */
int tarei_cores(void);

/* Bytes of the second-level cache of a core; 1 MiB if the system does not report it. */
size_t tarei_core_cache_bytes(void);

#endif
