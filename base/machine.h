/* The memory that this process may use, and what it runs on. */
#ifndef TAREI_BASE_MACHINE_H
#define TAREI_BASE_MACHINE_H

#include <stdint.h>

#include "base/str.h"

/* Bytes of memory of the machine, or the limit of the process or its control groups if that is less.
 */
int64_t tarei_machine_memory(void);

/* Adds the name of the processor as Linux tells it; "unknown" if it does not. */
void tarei_machine_cpu(tarei_str *out);

#endif
