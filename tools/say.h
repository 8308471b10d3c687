/* Talk on stderr, quiet with --quiet. */
#ifndef TARE_TOOLS_SAY_H
#define TARE_TOOLS_SAY_H

#include "tools/options.h"

/* One line, "tare: " before it. */
void say(const opt_common *options, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The samples that a data set skipped, by name. */
void say_skipped(const opt_common *options, const tare_dataset *dataset);

#endif
