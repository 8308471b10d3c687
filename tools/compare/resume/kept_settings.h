/* What the rows of a comparison depend on, as a JSON object of texts by name. */
#ifndef TAREI_TOOLS_COMPARE_RESUME_KEPT_SETTINGS_H
#define TAREI_TOOLS_COMPARE_RESUME_KEPT_SETTINGS_H

#include "tools/compare/compare_work.h"

/* Reads both data sets to hash them. The options that only choose rows, files or times do not
 * count, so that rows can be added. The caller deletes *out. TARE_E_CHECK if a signal ended it. */
tare_status kept_settings(const compare_arguments *a, const compare_work *w, cJSON **out,
                          tare_error *err);

#endif
