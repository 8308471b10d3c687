/* What tare tune prints about its result. */
#ifndef TAREI_TOOLS_TUNE_TUNE_SHOW_H
#define TAREI_TOOLS_TUNE_TUNE_SHOW_H

#include <tare/tare.h>

/* A search that has ended, and how it was asked for. */
typedef struct tune_report {
  const char *model, *plan, *table, *timing_cache; /* names of files; NULL: not written */
  const char *method;                              /* of the table */
  const tare_tune_options *options;
  int metric;              /* -1: none */
  int64_t given, held_out; /* samples of the data, and those held out of the calibration; 0, 0:
                              other data accept plans */
  const tare_tuned *tuned;
} tune_report;

tare_status tune_print(const tune_report *r, tare_error *err);
tare_status tune_json(const tune_report *r, tare_error *err);

#endif
