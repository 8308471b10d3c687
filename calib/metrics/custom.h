/* A metric of the program (tare_custom_metric) as one of the library. */
#ifndef TAREI_CALIB_METRICS_CUSTOM_H
#define TAREI_CALIB_METRICS_CUSTOM_H

#include "calib/metrics/metric.h"

typedef struct tarei_custom_metric {
  tarei_metric base; /* first, so that a metric whose `custom` is set can be cast */
  tare_custom_metric given;
} tarei_custom_metric;

/* Checks what the program gives. TARE_E_USAGE */
tare_status tarei_custom_metric_make(const tare_custom_metric *given, tarei_custom_metric *out,
                                     tare_error *err);

#endif
