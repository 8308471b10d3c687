/* The memory that this process may use. */
#ifndef TAREI_BASE_MACHINE_H
#define TAREI_BASE_MACHINE_H

#include <stdint.h>

/* Bytes of memory of the machine, or the limit of the control groups of the process if that is
 * less. */
int64_t tarei_machine_memory(void);

#endif
