/* Two statistics files compared: settings, samples, and the ranges of tensors. */
#ifndef TAREI_TOOLS_PARTS_STATS_DIFF_H
#define TAREI_TOOLS_PARTS_STATS_DIFF_H

#include "tools/options/options.h"

/* Compares and prints, as text or JSON. *differ: anything does. */
tare_status stats_diff(const opt_common *common, const char *const *paths, bool *differ,
                       tare_error *err);

#endif
