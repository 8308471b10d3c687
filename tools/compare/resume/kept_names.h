/* How the files of a kept comparison are called, and what they say of their rows. */
#ifndef TAREI_TOOLS_COMPARE_RESUME_KEPT_NAMES_H
#define TAREI_TOOLS_COMPARE_RESUME_KEPT_NAMES_H

#include "tools/compare/compare_grid.h"

/* "pad-counted"; the caller frees it. */
char *kept_pass_name(const grid_pass *pass);

/* "float" for -1, "native-percentile-99.9-int8-rows", "own-FILE"; the caller frees it. */
char *kept_result_name(const grid *g, int strategy);

/* What a row is, -1: the float plan; of a file of the user, with its size and time. */
cJSON *kept_strategy(const grid *g, int strategy);

/* Size and time of a file, as a text that changes when the file does; the caller frees it. */
char *kept_file_state(const char *path);

/* A member that counts something; 0 where there is none. */
int64_t kept_count(const cJSON *object, const char *name);

/* What only the plan of a row knows, to JSON and back. */
cJSON *kept_plan_facts(const grid_strategy *s);
void kept_take_plan_facts(const cJSON *facts, grid_strategy *s);

#endif
