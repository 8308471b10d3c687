/* Telling about a checked model. */
#ifndef TAREI_TOOLS_COMMANDS_CHECK_SHOW_H
#define TAREI_TOOLS_COMMANDS_CHECK_SHOW_H

#include <tare/check.h>

#include "tools/json_out.h"

/* Prints the findings, the layers that stay float with their reasons, and how many there are of
 * each. */
void check_print(const tare_check *check, const char *path, int target);

/* Prints the same as an object, with all layers. */
void check_json(const tare_check *check, const char *path, int target);

#endif
