/* A metric over samples that tests make. */
#ifndef TAREI_TESTS_UNIT_METRICS_MADE_METRIC_H
#define TAREI_TESTS_UNIT_METRICS_MADE_METRIC_H

#include "calib/metrics/metric.h"
#include "calib/metrics/states.h"

typedef struct made_metric {
  const tarei_metric *metric;
  tarei_metric_settings settings;
  tare_metric_states *states;
} made_metric;

/* Begins a metric with its settings; the test fails where they are wrong. */
void made_metric_begin(made_metric *m, const char *name, const tare_metric_setting *settings,
                       int n);

/* Adds a sample; its name is "sample" and its output is called "logits". `extents` NULL: all is
 * valid. */
tare_status made_metric_add(made_metric *m, const tare_sample *sample, const tare_tensor *got,
                            const tare_tensor *want, const int64_t *extents, tare_error *err);

/* The value of all samples; frees the metric. */
double made_metric_end(made_metric *m);

#endif
