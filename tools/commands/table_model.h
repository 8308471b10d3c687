/* What `tare table --model` and `--unify` do. */
#ifndef TAREI_TOOLS_COMMANDS_TABLE_MODEL_H
#define TAREI_TOOLS_COMMANDS_TABLE_MODEL_H

#include <tare/table_model.h>

#include "tools/json_out.h"
#include "tools/options/options.h"

typedef struct table_model {
  const opt_common *common;
  const char *layers_of; /* path of --model; NULL: not given */
  const char *unify;     /* path of --unify; NULL: not given */
  bool needs_tensors;    /* something that follows does */
  tare_model *model;     /* that of --model */
  bool has_layers;       /* the table had layers, which were replaced */
  tare_resolved resolved;
  tare_unified unified;
} table_model;

/* Loads the model of --model, replaces the layers of a table by tensors, and unifies thresholds.
 * `output` is the format of a table that follows, or NULL. */
tare_status table_model_apply(table_model *m, const char *input, const tare_table_format *output,
                              tare_table **table, tare_error *err);

void table_model_print(const table_model *m);
void table_model_json(cJSON *object, const table_model *m);

#endif
