/* Writing a table to where its name says, and telling about it. */
#ifndef TARE_TOOLS_TABLE_OUT_H
#define TARE_TOOLS_TABLE_OUT_H

#include "tools/json_out.h"
#include "tools/options/options.h"

/* What an output file's name asks for. */
typedef enum table_kind { TABLE_KIND_NONE, TABLE_KIND_JSON, TABLE_KIND_TRT } table_kind;

/* .json or .cache; NONE for other names. */
table_kind table_kind_of(const char *path);

/* TARE_E_USAGE where a cache, which holds one column, would have to choose among several, or is to
 * choose where there is one. `n` is the number of columns. */
tare_status table_check_column(const opt_table *options, table_kind kind, int n, const char *path,
                               tare_error *err);

tare_status table_write(const tare_table *table, table_kind kind, const opt_table *options,
                        const char *path, tare_error *err);

/* Tensors with a threshold, and dead ones. */
void table_print(const tare_table *table);

/* Adds method, counts, profiles and warnings to an object. */
void table_json(cJSON *object, const tare_table *table);

/* Adds the warnings alone; none for NULL. */
void warnings_json(cJSON *object, const tare_table *table);

/* Prints where a table went, and what the header of a cache says of it. */
void table_print_written(const tare_table *table, table_kind kind, const opt_table *options,
                         const char *path);

#endif
