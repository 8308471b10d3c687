/* Signals that end the program. */
#ifndef TARE_TOOLS_SIGNALS_H
#define TARE_TOOLS_SIGNALS_H

/* Lets them take unfinished files away before they do. */
void signals_handle(void);

#endif
