/* The standard streams. */
#ifndef TAREI_TOOLS_STREAMS_H
#define TAREI_TOOLS_STREAMS_H

/* Takes the place of streams that are closed, so that no file that is opened later gets their
 * numbers and with them what is printed. Reading or printing still fails. */
void streams_hold(void);

#endif
