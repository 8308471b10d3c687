/*
 * Task metrics compare an output with labels. Each has one file and one row in metrics.inc.
 */
#ifndef TAREI_CALIB_METRIC_H
#define TAREI_CALIB_METRIC_H

#include <tare/eval.h>

#include "base/error.h"

/* One output of one sample, with its labels. */
typedef struct tarei_metric_case {
  const tare_sample *sample; /* name, label, label_text */
  const char *output;        /* name of the output */
  const tare_tensor *got;    /* float, rank >= 1 */
  const int64_t *extents;    /* valid part of got, one per axis */
  const char *alphabet;      /* NULL if not given */
} tarei_metric_case;

typedef struct tarei_metric {
  const char *name, *summary;
  tare_metric_unit unit;
  bool lower_is_better;
  bool needs_alphabet;
  int least_rank; /* minimum rank of the output, whose last axis has the classes */
  /* Adds one sample to `sum`. TARE_E_USAGE if the sample has no label of the required kind,
   * TARE_E_INPUT if its label does not match the output. */
  tare_status (*add)(const tarei_metric_case *c, tare_metric_tally *sum, tare_error *err);
} tarei_metric;

/* The unit of shares. */
#define TAREI_PERCENT \
  { .factor = 100, .symbol = "%", .difference = "percentage points" }

/* Finds a metric by name, and checks it against the options and the output that it reads. */
tare_status tarei_metric_pick(const tare_eval_options *options, const tare_port *output,
                              const tarei_metric **out, tare_error *err);

#endif
