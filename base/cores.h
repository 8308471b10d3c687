/* How many cores this process may use, and what one of them keeps close. */
#ifndef TAREI_BASE_CORES_H
#define TAREI_BASE_CORES_H

#include <stddef.h>

/* Cores that the calling thread is allowed to run on, at least 1. */
int tarei_cores(void);

/* Bytes of a core's second-level cache; 1 MiB where the system does not tell. */
size_t tarei_core_cache_bytes(void);

#endif
