/* A metric whose numbers a command of the user prints, once it has the outputs of all samples: one
 * number for all of them, or a line for each run. */
#ifndef TAREI_CALIB_METRICS_PRINTED_H
#define TAREI_CALIB_METRICS_PRINTED_H

#include "calib/metrics/metric.h"
#include "calib/metrics/states.h"

/* Bytes that a command may print for a number of runs. */
size_t tarei_printed_most(int64_t n_runs);

/* Reads what was printed, and gives the rows their numbers: line i is that of run i, by sample and
 * then by level, of which there are n_levels. TARE_E_INPUT. */
tare_status tarei_printed_read(const char *command, const char *text, int n_levels,
                               tare_metric_states *states, tare_error *err);

/* Slots of such metrics. */
tare_status tarei_printed_check(const tarei_metric_settings *settings, tare_error *err);
bool tarei_printed_accepts(const tare_metric_states *states);
tare_status tarei_printed_value(const tarei_metric_choice *choice, double *out, tare_error *err);

#endif
