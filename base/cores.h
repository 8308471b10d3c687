/* The cache of a core. How many of them a process may use is tare_cores (include/tare/tare.h). */
#ifndef TAREI_BASE_CORES_H
#define TAREI_BASE_CORES_H

#include <stddef.h>

/* Bytes of the second-level cache of a core; 1 MiB if the system does not report it. */
size_t tarei_core_cache_bytes(void);

#endif
