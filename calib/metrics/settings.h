/* What the options of a metric (options.inc) say, read and checked. */
#ifndef TAREI_CALIB_METRICS_SETTINGS_H
#define TAREI_CALIB_METRICS_SETTINGS_H

#include <tare/metric.h>

#include "calib/metrics/vocabulary.h"

enum {
#define TAREI_METRIC_OPTION(id, name, value, summary) TAREI_METRIC_##id,
#include "calib/metrics/options.inc"
#undef TAREI_METRIC_OPTION
  TAREI_METRIC_OPTIONS
};

typedef enum tarei_average {
  TAREI_AVERAGE_MACRO,
  TAREI_AVERAGE_MICRO,
  TAREI_AVERAGE_BINARY
} tarei_average;

typedef struct tarei_metric_settings {
  tarei_vocabulary *vocabulary; /* NULL if not given; owned */
  bool words;                   /* the unit of errors; else characters */
  int top;                      /* 0: not given */
  bool ignores;                 /* a label, beside negative ones */
  int64_t ignored;
  tarei_average average;
  bool shifts;
  int64_t shift;       /* of labels, if it was given */
  int neighbours;      /* 0: not given */
  const char *command; /* that prints the metric; NULL if not given. Not owned */
  double timeout;      /* of the command, in seconds; 0: none */
} tarei_metric_settings;

/* Reads the settings of a metric, which takes these options (bits by their numbers); `metric` is
 * its name. TARE_E_USAGE, and TARE_E_INPUT for a file that is malformed. Free them with _fini, also
 * after a failure. */
tare_status tarei_metric_settings_read(const char *metric, unsigned takes,
                                       const tare_metric_setting *settings, int n,
                                       tarei_metric_settings *out, tare_error *err);
void tarei_metric_settings_fini(tarei_metric_settings *settings);

/* Clears what points to memory, in a copy that outlives it. */
void tarei_metric_settings_forget(tarei_metric_settings *copy);

#endif
