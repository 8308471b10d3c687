/* The standard streams. */
#ifndef TAREI_TOOLS_STREAMS_H
#define TAREI_TOOLS_STREAMS_H

#include <stdio.h>

/* Takes the place of streams that are closed, so that no file that is opened later gets their
 * numbers and with them what is printed. Reading or printing still fails. */
void streams_hold(void);

/* Keeps control characters of names from a terminal, if that is the standard output: '?' replaces
 * them. What goes elsewhere stays as it is. */
void streams_guard(void);

/* The number of the file behind a stream. */
int streams_number(FILE *stream);

#endif
