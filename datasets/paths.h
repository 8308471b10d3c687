/* Expands a path given by the user to files. */
#ifndef TAREI_DATASETS_PATHS_H
#define TAREI_DATASETS_PATHS_H

#include "base/str.h"
#include "datasets/items.h"

/* Whether there is something of this name. TARE_E_INPUT */
tare_status tarei_paths_check(const char *path, tare_error *err);

/* Adds the files of a path: the file itself, the files of a folder, the rows of a manifest or the
 * lines of a list. Whatever is not obvious is added to `notes`. TARE_E_INPUT if it is missing,
 * malformed, or a folder without data; TARE_E_USAGE if a manifest has no label column. */
tare_status tarei_paths_expand(tarei_items *items, const char *path, const tarei_data_spec *spec,
                               tarei_str *notes, tare_error *err);

#endif
