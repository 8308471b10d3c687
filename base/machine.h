/* What the machine, or the part of it that the process may use, has. */
#ifndef TAREI_BASE_MACHINE_H
#define TAREI_BASE_MACHINE_H

#include <stdint.h>

/* Bytes of memory: those of the machine, or what the control groups of the process allow where that
 * is less. */
int64_t tarei_machine_memory(void);

#endif
