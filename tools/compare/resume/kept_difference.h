/* In what a comparison differs from the one that a folder keeps. */
#ifndef TAREI_TOOLS_COMPARE_RESUME_KEPT_DIFFERENCE_H
#define TAREI_TOOLS_COMPARE_RESUME_KEPT_DIFFERENCE_H

#include "tools/json_out.h"

/* The settings that differ, with both values; NULL: none. The caller frees it. */
char *kept_settings_difference(const cJSON *before, const cJSON *now);

#endif
