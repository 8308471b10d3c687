/* How the C library keeps memory that was freed. */
#ifndef TAREI_TOOLS_HEAP_H
#define TAREI_TOOLS_HEAP_H

/* For a command that reads samples without end: what a sample took goes back to the system, instead
 * of staying in pieces between what is kept, more of them with every sample. Call it before there
 * are threads. */
void heap_for_many_samples(void);

#endif
