/* Manifests: CSV or TSV files with a header and a "path" column. */
#ifndef TAREI_DATASETS_LISTS_CSV_MANIFEST_H
#define TAREI_DATASETS_LISTS_CSV_MANIFEST_H

#include <stdbool.h>

#include "base/error.h"

/* Whether the header of a CSV or TSV file has a column. */
tare_status tarei_manifest_has_column(const char *path, const char *column, bool *out,
                                      tare_error *err);

#endif
