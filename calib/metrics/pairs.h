/* Values of an output beside what they are compared with: labels, or the output of the reference.
 */
#ifndef TAREI_CALIB_METRICS_PAIRS_H
#define TAREI_CALIB_METRICS_PAIRS_H

#include "calib/metrics/metric.h"
#include "calib/metrics/states.h"

/* The valid values of the output and those that belong to them, in row-major order. */
typedef struct tarei_pairs {
  double *got, *want;
  int64_t n;
} tarei_pairs;

/* With a label: numbers of as many elements as the valid part of the output, and of its dims but
 * for axes of length 1. TARE_E_USAGE if the label is text or there is neither, TARE_E_INPUT if
 * it does not match. Free them with _fini in any case. */
tare_status tarei_pairs_make(const char *metric, const tarei_metric_case *c, tarei_pairs *out,
                             tare_error *err);
void tarei_pairs_fini(tarei_pairs *pairs);

/* Adds the pairs to the current row, got and want by turns. */
tare_status tarei_pairs_add(const char *metric, const tarei_metric_case *c,
                            tare_metric_states *states, tare_error *err);

/* For `accepts`: rows of pairs. */
bool tarei_pairs_accept(const tare_metric_states *states);

/* How many pairs the rows of a choice have, each row counted once. */
int64_t tarei_pairs_chosen(const tarei_metric_choice *choice);

/* With more of them a draw of the bootstrap takes longer than it should: a millisecond. */
enum { TAREI_MANY_PAIRS = 20000 };

/* Pearson's correlation of the pairs of a choice, each number first mapped by its place in
 * `numbers` (of all numbers of the states); NAN without variation. */
double tarei_pairs_correlation(const tarei_metric_choice *choice, const double *numbers);

/* The correlation by two variances and the covariance, of any weight; NAN without variation. */
double tarei_pairs_correlate(double xx, double yy, double xy);

/* For `brief`: the moments of the pairs of each row. */
tare_status tarei_pairs_brief(const tarei_metric_choice *choice, tare_metric_states **out,
                              tare_error *err);

#endif
