/* The files that `tare compare` writes of the strategy that ranks first. */
#ifndef TAREI_TOOLS_COMPARE_COMPARE_KEEP_H
#define TAREI_TOOLS_COMPARE_COMPARE_KEEP_H

#include "tools/compare/options/compare_arguments.h"
#include "tools/compare/compare_eval.h"

/* Before any work: each output and report once, and none of them an input. */
tare_status compare_check_outputs(const compare_arguments *a, tare_error *err);

/* Writes its table and its plan, as asked for; nothing if no strategy was measured. */
tare_status compare_keep_first(const compare_arguments *a, const compare_eval *e, const grid *g,
                               tare_error *err);

#endif
