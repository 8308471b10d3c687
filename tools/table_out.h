/* Writing a table in the format that its name says, and telling about it. */
#ifndef TAREI_TOOLS_TABLE_OUT_H
#define TAREI_TOOLS_TABLE_OUT_H

#include "tools/json_out.h"
#include "tools/options/options.h"

/* TARE_E_USAGE where a format that holds one column would have to choose among several, or is to
 * choose where there is one. `n` is the number of columns. */
tare_status table_check_column(const opt_table *options, int format, int n, const char *path,
                               tare_error *err);

tare_status table_write(const tare_table *table, int format, const opt_table *options,
                        const char *path, tare_error *err);

/* Tensors with a threshold, and dead ones. */
void table_print(const tare_table *table);

/* Adds method, counts, profiles and warnings to an object. */
void table_json(cJSON *object, const tare_table *table);

/* Adds the warnings alone; none for NULL. */
void warnings_json(cJSON *object, const tare_table *table);

/* Prints where a table went, and what the reader of its file must hear. */
void table_print_written(int format, const opt_table *options, const char *path);

#endif
