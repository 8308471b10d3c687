/* The files that a path given by the user stands for. */
#ifndef TAREI_DATASETS_PATHS_H
#define TAREI_DATASETS_PATHS_H

#include "base/str.h"
#include "datasets/items.h"

/* Adds the files that a path stands for: itself, the files of a folder, the rows of a manifest or
 * the lines of a list. Says in `notes` what was not obvious. TARE_E_INPUT when it is missing,
 * malformed, or a folder without data; TARE_E_USAGE when a manifest lacks the label column. */
tare_status tarei_paths_expand(tarei_items *items, const char *path, const tarei_data_spec *spec,
                               tarei_str *notes, tare_error *err);

#endif
