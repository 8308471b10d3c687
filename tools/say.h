/* Talk on stderr, quiet with --quiet. */
#ifndef TARE_TOOLS_SAY_H
#define TARE_TOOLS_SAY_H

#include "tools/options.h"

/* One line, "tare: " before it. */
void say(const opt_common *options, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What the user should know about data that was read: the samples that were skipped, by name, and
 * sampling rates that differ. */
void say_data(const opt_common *options, const tare_dataset *dataset);

#endif
