/* Places of the values of pairs among all of the same side, and their ranks in a choice of rows. */
#ifndef TAREI_CALIB_METRICS_RANKS_H
#define TAREI_CALIB_METRICS_RANKS_H

#include "calib/metrics/metric.h"
#include "calib/metrics/states.h"

/* Sides of a pair. */
enum { TAREI_RANKS_GOT, TAREI_RANKS_WANT };

/* Replaces each number by its place among the different values of its side, 0 .. pairs - 1, so that
 * ranks need no sorting any more. A NaN stays. TARE_E_MEMORY. */
tare_status tarei_ranks_order(tare_metric_states *states, tare_error *err);

/* Whether all numbers are places of pairs, or NaN. */
bool tarei_ranks_accept(const tare_metric_states *states);

/* Ranks of all numbers of ordered states among those of a choice, from 1 on; equal values have the
 * mean of theirs. `ranks` has room for all numbers, `counts` for one of each pair. */
void tarei_ranks_find(const tarei_metric_choice *choice, double *counts, double *ranks);

#endif
