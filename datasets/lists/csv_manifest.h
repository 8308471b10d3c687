/* Manifests: CSV or TSV files with a header and a "path" column. */
#ifndef TAREI_DATASETS_LISTS_CSV_MANIFEST_H
#define TAREI_DATASETS_LISTS_CSV_MANIFEST_H

#include <stdbool.h>

#include "base/error.h"

/* Whether the header of a CSV or TSV file has a "path" column. */
tare_status tarei_manifest_has_path(const char *path, bool *out, tare_error *err);

#endif
