/* Reads manifests (CSV or TSV with a header and a "path" column) and lists (one path per line).
 * Paths are relative to the manifest or list. */
#ifndef TAREI_DATASETS_MANIFEST_H
#define TAREI_DATASETS_MANIFEST_H

#include "datasets/items.h"

/* Whether the header of a CSV or TSV file has a "path" column. */
tare_status tarei_manifest_has_path(const char *path, bool *out, tare_error *err);

/* A kind of file that lists others. */
typedef struct tarei_sample_list {
  tare_data_kind kind;
  const char *const *extensions;
  tare_status (*expand)(tarei_items *items, const char *path, const tarei_data_spec *spec,
                        tare_error *err);
} tarei_sample_list;

/* The kind of list with the extension of a path, or NULL. */
const tarei_sample_list *tarei_list_named(const char *path);

/* Adds the files of a manifest. The column named by spec->labels contains the label text; it may
 * only be missing if every file can contain the labels itself. TARE_E_INPUT: malformed, no "path"
 * column, a duplicate column, a row with another number of fields, an empty path, no rows. */
tare_status tarei_manifest_expand(tarei_items *items, const char *path, const tarei_data_spec *spec,
                                  tare_error *err);

/* Adds the files of a list, one for each line that is not empty. */
tare_status tarei_list_expand(tarei_items *items, const char *path, const tarei_data_spec *spec,
                              tare_error *err);

#endif
