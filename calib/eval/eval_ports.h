/* Checks whether two plans can be compared. */
#ifndef TAREI_CALIB_EVAL_PORTS_H
#define TAREI_CALIB_EVAL_PORTS_H

#include <tare/plan.h>

/* TARE_E_USAGE if inputs or outputs differ in number, name, element type or rank. */
tare_status tarei_eval_check_ports(const tare_plan *plan, const tare_plan *other, tare_error *err);

#endif
