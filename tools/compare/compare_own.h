/* What the user made already, and compares with the strategies: a plan, a quantized model, or a
 * calibration table. */
#ifndef TAREI_TOOLS_COMPARE_COMPARE_OWN_H
#define TAREI_TOOLS_COMPARE_COMPARE_OWN_H

#include "tools/compare/compare_eval.h"

/* Adds a row for each file. */
void compare_own_add(const cli_list *paths, grid *g);

/* Before any work: each of them can be loaded, has the inputs and outputs of the model, and covers
 * the profiles. */
tare_status compare_own_check(const compare_eval *e, const grid *g, tare_error *err);

/* The plan of a file. */
tare_status compare_own_plan(const compare_eval *e, const char *path, tare_plan **out,
                             tare_error *err);

#endif
