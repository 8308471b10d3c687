/*
 * Task metrics: an output beside its labels. One file a metric, one row in metrics.inc.
 */
#ifndef TAREI_CALIB_METRIC_H
#define TAREI_CALIB_METRIC_H

#include <tare/eval.h>

#include "base/error.h"

/* One output of one sample, with what is known to be right. */
typedef struct tarei_metric_case {
  const tare_sample *sample; /* name, label, label_text */
  const char *output;        /* name of the output */
  const tare_tensor *got;    /* float, rank >= 1 */
  const int64_t *extents;    /* valid part of got, one per axis */
  const char *alphabet;      /* NULL when the caller gave none */
} tarei_metric_case;

typedef struct tarei_metric {
  const char *name, *summary;
  tare_metric_unit unit;
  bool lower_is_better;
  bool needs_alphabet;
  int least_rank; /* of the output, the classes on its last axis */
  /* Adds one sample to sum. TARE_E_USAGE when the sample carries no label of the kind needed,
   * TARE_E_INPUT when its label does not fit the output. */
  tare_status (*add)(const tarei_metric_case *c, tare_metric_tally *sum, tare_error *err);
} tarei_metric;

/* The unit of shares. */
#define TAREI_PERCENT \
  { .factor = 100, .symbol = "%", .difference = "percentage points" }

/* Finds a metric by name and checks it against the options and the output it is to read. */
tare_status tarei_metric_pick(const tare_eval_options *options, const tare_port *output,
                              const tarei_metric **out, tare_error *err);

#endif
