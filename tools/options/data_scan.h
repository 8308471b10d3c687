/* The lengths of data, with or without the model that they feed. */
#ifndef TAREI_TOOLS_OPTIONS_DATA_SCAN_H
#define TAREI_TOOLS_OPTIONS_DATA_SCAN_H

#include "tools/options/lengths.h"

typedef struct data_scan {
  tare_model *model;         /* or NULL */
  tare_streaming *streaming; /* states that the data lack, or NULL */
  tare_dataset *dataset;
  lengths lengths;
} data_scan;

/* Reads the dims of all samples, with progress, and says what the user should know about them.
 * Without a model (NULL), data must be audio: its samples, or the rows of its features. */
tare_status data_scan_read(const cli_list *paths, const char *model, const opt_data *data,
                           const opt_common *common, data_scan *out, tare_error *err);
void data_scan_fini(data_scan *scan);

#endif
