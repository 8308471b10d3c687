/* What this build was made of. */
#ifndef TAREI_TOOLS_SHOW_BUILD_INFO_H
#define TAREI_TOOLS_SHOW_BUILD_INFO_H

#include "tools/json_out.h"

/* The version and what the command was built of, as lines for people. */
void build_info_print(void);

/* The same as members of an object. */
void build_info_json(cJSON *object);

#endif
