/* How many cores this process may use. */
#ifndef TAREI_BASE_CORES_H
#define TAREI_BASE_CORES_H

/* Cores that the calling thread is allowed to run on, at least 1. */
int tarei_cores(void);

#endif
