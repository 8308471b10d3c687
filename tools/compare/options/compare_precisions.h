/* Forms in which plans of one table compute: as the build chooses, or one precision for all layers
 * that can have it. */
#ifndef TAREI_TOOLS_COMPARE_OPTIONS_COMPARE_PRECISIONS_H
#define TAREI_TOOLS_COMPARE_OPTIONS_COMPARE_PRECISIONS_H

#include "tools/cli.h"

/* Number 0 is that of the build itself. */
cli_family compare_precisions(void);

/* Requests by layer name: those of a form, and behind them those that were given (NULL: none),
 * which win. NULL where there are none. The caller frees it. */
char *compare_precision_requests(int precision, const char *given);

/* The method of a strategy as tables show it, with its form. The caller frees it. */
char *compare_precision_label(const char *method, int precision);

#endif
