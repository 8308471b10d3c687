/* Layers of what ranks first that trials raise above 8 bits, as `tare calibrate` does. */
#ifndef TAREI_TOOLS_COMPARE_COMPARE_RAISE_H
#define TAREI_TOOLS_COMPARE_COMPARE_RAISE_H

#include "tools/compare/compare_eval.h"
#include "tools/compare/compare_work.h"

/* Checks the plan of the strategy that ranks first on a few samples of the calibration, and warns
 * where it is bad. Where layers are raised, the strategy gets a row beside its own, with the table
 * of these requests, which is evaluated and ranked: it is what the calibration of that strategy
 * gives. Both rows have one table, which keeps the requests if the new row ranks first. Within the
 * time budget. */
tare_status compare_raise(const compare_arguments *a, compare_work *w, const compare_eval *e,
                          tare_error *err);

#endif
