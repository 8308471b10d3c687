/* What `tare table --coverage` shows. */
#ifndef TAREI_TOOLS_COMMANDS_TABLE_COVERAGE_H
#define TAREI_TOOLS_COMMANDS_TABLE_COVERAGE_H

#include <tare/coverage.h>

#include "tools/json_out.h"
#include "tools/options/options.h"

/* Compares a table with the model of a file, and warns if it was made for another one. */
tare_status table_coverage_take(const opt_common *common, const char *model_path,
                                const char *table_path, const tare_table *table,
                                tare_coverage **out, tare_error *err);

void table_coverage_print(const tare_coverage *coverage, const char *model_path);
void table_coverage_json(cJSON *object, const tare_coverage *coverage, const char *model_path);
/* Whether a convolution or product has no threshold, or a threshold no tensor. */
bool table_coverage_has_gaps(const tare_coverage *coverage);

#endif
