/* Writing a table in the format that its name says, and telling about it. */
#ifndef TAREI_TOOLS_TABLE_OUT_H
#define TAREI_TOOLS_TABLE_OUT_H

#include <tare/model.h>

#include "tools/json_out.h"
#include "tools/options/options.h"

/* Where a table goes, and how. */
typedef struct table_out {
  const opt_common *common;
  const opt_table *options;
  int format;
  const char *path;
  const tare_model *model;  /* for a format that names layers; NULL: unknown */
  tare_table_merged merged; /* of the file that was written */
  tare_table_layers layers;
} table_out;

/* TARE_E_USAGE where a format that holds one column would have to choose among several, or is to
 * choose where there is one. `n` is the number of columns. */
tare_status table_check_column(const table_out *out, int n, tare_error *err);

/* Writes it, and warns of what the format has no place for. */
tare_status table_write(table_out *out, const tare_table *table, tare_error *err);

/* Writes it in the format that the name says, with the defaults of that format. */
tare_status table_write_named(const char *path, const opt_common *common, const tare_model *model,
                              const tare_table *table, tare_error *err);

/* Tensors with a threshold, and dead ones. */
void table_print(const tare_table *table);
/* How many layers have clipped weights and corrected biases, and how many tensors are smoothed;
 * nothing for none. */
void table_print_methods(int clipped, int corrected, int smoothed);
void table_print_weight_methods(const tare_table *table);
void table_json_weight_methods(cJSON *object, const tare_table *table);

/* Adds method, counts, profiles and warnings to an object. */
void table_json(cJSON *object, const tare_table *table);

/* Adds the warnings alone; none for NULL. */
void warnings_json(cJSON *object, const tare_table *table);

/* Adds what the file that was written does not hold, and what became of a template. */
void table_written_json(cJSON *object, const table_out *out, const tare_table *table);

/* Prints where a table went, and what the reader of its file must hear. */
void table_print_written(const table_out *out, const tare_table *table);

#endif
