/* Telling about an exported model. */
#ifndef TAREI_TOOLS_COMMANDS_EXPORT_SHOW_H
#define TAREI_TOOLS_COMMANDS_EXPORT_SHOW_H

#include "tools/json_out.h"
#include "tools/options/options.h"

/* Inputs that were fixed, which the model that is written has no more; nothing for none. */
void export_print_sets(const opt_model *inputs);
void export_json_sets(cJSON *object, const opt_model *inputs);

/* Prints target, opset, the number of layers by form, where sums saturate, and each layer that is
 * not int8 with its reason. */
void export_print(const tare_export *out, const tare_export_options *options);

/* Prints where the model went, and whether constants went to a file of their own. */
void export_print_written(const char *path, bool external);

/* Adds the same to an object, with all layers. */
void export_json(cJSON *object, const tare_export *out, const tare_export_options *options);

/* Warns when nothing is quantized. */
void export_say(const opt_common *common, const tare_export *out, const char *path);

#endif
