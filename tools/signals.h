/* Signals that end the program. */
#ifndef TAREI_TOOLS_SIGNALS_H
#define TAREI_TOOLS_SIGNALS_H

#include <stdbool.h>

/* Lets them take unfinished files away before they do. */
void signals_handle(void);

/* Has one function more called before they do; it may only call what handlers may. */
void signals_also(void (*clean)(void));

/* From now on a first SIGINT or SIGTERM only sets a mark, and a second one ends the program. Where
 * they are ignored, as in the background of a script, they still are. */
void signals_hold_interrupt(void);
bool signals_interrupted(void);

/* From now on the first one ends the program again. */
void signals_release_interrupt(void);

#endif
