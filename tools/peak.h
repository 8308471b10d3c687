/* Peak resident memory of this process, by stretches where the system lets us. */
#ifndef TAREI_TOOLS_PEAK_H
#define TAREI_TOOLS_PEAK_H

#include <stdbool.h>
#include <stdint.h>

/* Starts a new stretch: gives free memory back and forgets the peak so far. False where the system
 * does not let us; peaks are then those since the program began. */
bool peak_restart(void);

int64_t peak_bytes(void); /* 0 where not known */

#endif
