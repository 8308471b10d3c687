/* Manifests (CSV or TSV with a header and a "path" column) and lists (one path a line). Paths are
 * relative to the manifest or list. */
#ifndef TAREI_DATASETS_MANIFEST_H
#define TAREI_DATASETS_MANIFEST_H

#include "datasets/items.h"

/* Whether the header of a CSV or TSV file has a "path" column. */
tare_status tarei_manifest_has_path(const char *path, bool *out, tare_error *err);

/* A file that lists others. */
typedef struct tarei_sample_list {
  tare_data_kind kind;
  const char *const *extensions;
  tare_status (*expand)(tarei_items *items, const char *path, const tarei_data_spec *spec,
                        tare_error *err);
} tarei_sample_list;

/* The list that a path's extension is that of, or NULL. */
const tarei_sample_list *tarei_list_named(const char *path);

/* Adds the rows. The column named by spec->labels gives the label text; it may be missing only
 * where every row is a file that can hold the labels itself. TARE_E_INPUT: malformed,
 * no "path" column, a column twice, a row of another width, an empty path, no rows. */
tare_status tarei_manifest_expand(tarei_items *items, const char *path, const tarei_data_spec *spec,
                                  tare_error *err);

/* Adds the lines that are not empty. */
tare_status tarei_list_expand(tarei_items *items, const char *path, const tarei_data_spec *spec,
                              tare_error *err);

#endif
