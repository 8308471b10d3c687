/*
 * What samples contribute to a metric: a row of numbers for each run, whose meaning the metric
 * defines. The metric's value is a function of any choice of rows: those of a profile, of a level,
 * or of the samples that a bootstrap draws, some of them several times.
 */
#ifndef TAREI_CALIB_METRICS_STATES_H
#define TAREI_CALIB_METRICS_STATES_H

#include <tare/metric.h>

#include "base/str.h"
#include "calib/metrics/settings.h"

struct tarei_metric;

typedef struct tarei_metric_row {
  int64_t sample;
  int profile, level;
  int64_t at, n; /* numbers; none if the sample has no label */
} tarei_metric_row;

struct tare_metric_states {
  const struct tarei_metric *metric;
  void *own; /* freed with the states: the metric itself, where it is one of the program; what its
                rows have in common, where they are for draws; else NULL */
  tarei_metric_settings settings; /* what it points to is there until the states are finished */
  double total;                   /* of all rows, where their numbers are not known; else NAN */
  double *numbers;
  int64_t n_numbers;
  size_t cap_numbers;
  tarei_metric_row *rows; /* by sample, then in the order of its runs */
  int64_t n_rows;
  size_t cap_rows;
  tarei_str *answers; /* by sample, if they are kept; else NULL */
  size_t cap_answers;
  tarei_str answer;                           /* of the current sample */
  int64_t n_samples, kept_rows, kept_numbers; /* of samples that count */
};

/* Samples that have a label, as their rows have numbers; returns how many. `out` has room for all.
 */
int64_t tarei_metric_states_labelled(const tare_metric_states *states, int64_t *out);

/* Whether the numbers of each row are groups of `size`, and so are all of them. */
bool tarei_metric_states_are_groups(const tare_metric_states *states, int size);

/* Whether a sample contributes other numbers than to another plan's metric; both have the same
 * rows. */
bool tarei_metric_states_differ(const tare_metric_states *a, const tare_metric_states *b,
                                int64_t sample);

/* A choice of rows. */
typedef struct tarei_metric_choice {
  const tare_metric_states *states;
  const int32_t *times; /* by sample; NULL: each once */
  int profile, level;   /* -1: all */
  int64_t begin, end;   /* rows; end 0: all */
} tarei_metric_choice;

/* What the settings point to must live until the states are finished. */
tare_status tarei_metric_states_new(const struct tarei_metric *metric,
                                    const tarei_metric_settings *settings, tare_metric_states **out,
                                    tare_error *err);
void tarei_metric_states_free(tare_metric_states **states);

/* Discards the rows of the current sample, or counts it. */
void tarei_metric_states_discard(tare_metric_states *states);
void tarei_metric_states_keep(tare_metric_states *states);

/* Keeps the answer of the current sample too, which counts. */
tare_status tarei_metric_states_keep_answer(tare_metric_states *states, tare_error *err);

/* Begins a row of the current sample; then its numbers are added. */
tare_status tarei_metric_states_begin(tare_metric_states *states, int profile, int level,
                                      tare_error *err);
tare_status tarei_metric_states_add(tare_metric_states *states, const double *numbers, int64_t n,
                                    tare_error *err);

/* Once all samples are there: what the metric makes of them together. */
tare_status tarei_metric_states_finish(tare_metric_states *states, tare_error *err);

/* States of the same rows with other numbers for `metric`, n of each row that has any:
 * numbers[n * i] are those of row i. They need nothing of `states`. TARE_E_MEMORY. */
tare_status tarei_metric_states_of_rows(const tare_metric_states *states,
                                        const struct tarei_metric *metric, int64_t n,
                                        const double *numbers, tare_metric_states **out,
                                        tare_error *err);

/* Gives the next row of a choice that has numbers and how often it counts; NULL at the end. *at
 * begins with 0. */
const tarei_metric_row *tarei_metric_choice_next(const tarei_metric_choice *choice, int64_t *at,
                                                 int32_t *times);

/* States of the rows of a choice that have numbers, each as often as it counts. TARE_E_MEMORY. */
tare_status tarei_metric_choice_copy(const tarei_metric_choice *choice, tare_metric_states **out,
                                     tare_error *err);

/* Adds up the numbers of a choice, n in each row, in the order of the samples, so that sums of
 * fractions repeat exactly. False if no row has any. */
bool tarei_metric_choice_sum(const tarei_metric_choice *choice, int n, double *sums);

/* The value of the metric; NAN if no row has numbers. */
tare_status tarei_metric_choice_value(const tarei_metric_choice *choice, double *out,
                                      tare_error *err);

/* For draws from a choice: states whose values are those of its own, or near, and are found
 * quickly, as `brief` of the metric has it; NULL: those of the choice do. */
tare_status tarei_metric_choice_brief(const tarei_metric_choice *choice, tare_metric_states **out,
                                      tare_error *err);

#endif
