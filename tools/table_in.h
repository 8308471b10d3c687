/* Reading a table that is meant for a model. */
#ifndef TAREI_TOOLS_TABLE_IN_H
#define TAREI_TOOLS_TABLE_IN_H

#include "tools/options/options.h"

/* Reads a table of any format. One that was made for another model is an error that says what to
 * do, or with `force` a warning. */
tare_status table_load(const opt_common *common, const char *path, const char *model_path,
                       const tare_model *model, bool force, tare_table **out, tare_error *err);

/* What the table knows of itself, and was said when it was made; NULL: nothing. */
void table_say_warnings(const opt_common *common, const char *path, const tare_table *table);

#endif
