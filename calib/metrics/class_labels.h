/* Labels that are classes: one for each row of an output, or fewer. */
#ifndef TAREI_CALIB_METRICS_CLASS_LABELS_H
#define TAREI_CALIB_METRICS_CLASS_LABELS_H

#include "calib/metrics/metric.h"
#include "calib/metrics/rows.h"

typedef struct tarei_class_labels {
  const tarei_metric_case *about;
  const tarei_metric_settings *settings;
  tarei_rows rows;
  int64_t shift; /* how many labels behind its own row a label is */
  int64_t offset, label;
} tarei_class_labels;

/* TARE_E_USAGE if the sample has no integers as its label, TARE_E_INPUT if their dims do not match
 * the output. `metric` is for messages. With a shift, the label of a row is that of the row as many
 * places later on the last axis before the classes; the last rows have none. */
tare_status tarei_class_labels_begin(const char *metric, const tarei_metric_case *about,
                                     const tarei_metric_settings *settings, int64_t shift,
                                     tarei_class_labels *out, tare_error *err);

/* Goes to the next row whose label counts: `offset` of its first element, `label`, and
 * `rows.length` classes. *more is false at the end. TARE_E_INPUT for a label that is not a class.
 */
tare_status tarei_class_labels_next(tarei_class_labels *labels, bool *more, tare_error *err);

#endif
