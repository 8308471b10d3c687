/* Checks of what is to be evaluated. */
#ifndef TAREI_CALIB_EVAL_EVAL_PORTS_H
#define TAREI_CALIB_EVAL_EVAL_PORTS_H

#include <tare/eval.h>

/* TARE_E_USAGE if inputs or outputs differ in number, name, element type or rank. */
tare_status tarei_eval_check_ports(const tare_plan *plan, const tare_plan *other, tare_error *err);

/* The name of the metric, also of one of the program; NULL: none. */
const char *tarei_eval_metric_name(const tare_eval_options *options);

#endif
