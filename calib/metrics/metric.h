/*
 * Task metrics compare an output with labels, or with that of a reference. Each has one file and
 * one row in metrics.inc.
 */
#ifndef TAREI_CALIB_METRICS_METRIC_H
#define TAREI_CALIB_METRICS_METRIC_H

#include <tare/dataset.h>

#include "base/str.h"
#include "calib/metrics/settings.h"

struct tarei_metric_choice; /* states.h */

/* One output of one sample, with what it is compared with. */
typedef struct tarei_metric_case {
  const tare_sample *sample; /* name, label, label_text */
  const char *output;        /* name of the output */
  const tare_tensor *got;    /* float, rank >= 1 */
  const tare_tensor *want;   /* the same output of the reference, of the same dims; NULL: none */
  const int64_t *extents;    /* valid part of both, one per axis */
} tarei_metric_case;

typedef struct tarei_metric {
  const char *name, *summary;
  tare_metric_unit unit;
  bool lower_is_better;
  tare_metric_truth truth;
  unsigned takes; /* options, TAREI_METRIC_BIT of each */
  int least_rank; /* minimum rank of the output */
  bool custom;    /* of the program (custom.h), for this evaluation alone */

  /* Where it is of the program: a copy for states, which outlive the evaluation, or NULL if memory
   * runs out; free() it. NULL: states need none. */
  struct tarei_metric *(*copy)(const struct tarei_metric *metric);

  /* Checks the settings together; NULL: nothing to check. TARE_E_USAGE. */
  tare_status (*check)(const tarei_metric_settings *settings, tare_error *err);

  /* Adds the numbers of one sample to its row; none if it has no label. TARE_E_USAGE if the label
   * is not of the required kind, TARE_E_INPUT if it does not match the output. NULL for a metric
   * that a command prints (printed.h). */
  tare_status (*add)(const tarei_metric_case *c, tare_metric_states *states, tare_error *err);

  /* Adds what it reads in the output of a sample, as text; NULL: numbers, which have none. */
  tare_status (*read)(const tarei_metric_case *c, const tarei_metric_settings *settings,
                      tarei_str *out, tare_error *err);

  /* Replaces the numbers of all rows once all samples are there; NULL: they stay. */
  tare_status (*finish)(tare_metric_states *states, tare_error *err);

  /* If numbers add up: how many a row has, and the value of their sums. */
  int n_sums;
  double (*of_sums)(const double *sums);

  /* Otherwise: the value of a choice of rows, NAN if it has none. TARE_E_MEMORY. */
  tare_status (*value)(const struct tarei_metric_choice *choice, double *out, tare_error *err);
  /* Where `value` takes long: states for draws from a choice of samples. They come back in
   * *out, or NULL if `value` is quick enough. NULL: it always is. TARE_E_MEMORY. */
  tare_status (*brief)(const struct tarei_metric_choice *choice, tare_metric_states **out,
                       tare_error *err);
  /* Whether the numbers of states that were read from a file are ones that `value` can take. */
  bool (*accepts)(const tare_metric_states *states);
} tarei_metric;

#define TAREI_METRIC_BIT(id) (1U << TAREI_METRIC_##id)

/* The unit of shares. */
#define TAREI_PERCENT \
  { .factor = 100, .symbol = "%", .difference = "percentage points" }

#define TAREI_PLAIN \
  { .factor = 1, .symbol = "", .difference = "units" }
#define TAREI_DECIBEL \
  { .factor = 1, .symbol = "dB", .difference = "dB" }

/* First of two sums by the second, for `of_sums`; NAN for 0 by 0. */
double tarei_metric_ratio(const double *sums);

/* For `read`: the first largest class of each row. */
tare_status tarei_metric_read_classes(const tarei_metric_case *c,
                                      const tarei_metric_settings *settings, tarei_str *out,
                                      tare_error *err);

/* Its row in metrics.inc, -1 for one of the program. */
int tarei_metric_number(const tarei_metric *metric);

/* Finds a metric by name. TARE_E_USAGE. */
tare_status tarei_metric_find(const char *name, const tarei_metric **out, tare_error *err);

/* Finds a metric by name, and reads its settings, which are freed with _fini in any case. */
tare_status tarei_metric_pick(const char *name, const tare_metric_setting *settings, int n,
                              const tarei_metric **out, tarei_metric_settings *read,
                              tare_error *err);

/* Checks the output that a metric reads, and that there is a reference if it needs one. */
tare_status tarei_metric_check_output(const tarei_metric *metric, const tare_port *output,
                                      bool has_reference, tare_error *err);

#endif
