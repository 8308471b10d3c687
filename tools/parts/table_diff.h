/* Two calibration tables compared, of any formats: method, profiles and thresholds. */
#ifndef TAREI_TOOLS_PARTS_TABLE_DIFF_H
#define TAREI_TOOLS_PARTS_TABLE_DIFF_H

#include "tools/options/options.h"

/* Compares and prints, as text or JSON. *differ: anything does. */
tare_status table_diff(const opt_common *common, const char *const *paths, bool *differ,
                       tare_error *err);

#endif
