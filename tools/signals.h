/* Signals that end the program. */
#ifndef TAREI_TOOLS_SIGNALS_H
#define TAREI_TOOLS_SIGNALS_H

/* Lets them take unfinished files away before they do. */
void signals_handle(void);

#endif
