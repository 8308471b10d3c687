/* How quantized models are written, and the plans of what was written. */
#ifndef TAREI_TOOLS_QUANTIZE_QUANTIZE_WRITING_H
#define TAREI_TOOLS_QUANTIZE_QUANTIZE_WRITING_H

#include "tools/options/options.h"

typedef struct quantize_writing {
  const char *model;
  const opt_common *common;
  const opt_export *export;
  const opt_model *model_options;
  const tare_table *table;
  const tare_profiles *profiles;
} quantize_writing;

/* The model with the thresholds of a profile, -1: the largest of all. */
tare_status quantize_export(const quantize_writing *how, int profile, tare_export **out,
                            tare_error *err);

/* The plan of a file, each value rounded where it has a pair: nearest to what the engine computes.
 */
tare_status quantize_plan(const quantize_writing *how, const char *path, tare_plan **out,
                          tare_error *err);

/* The plan of what would be written, through a file of the scratch folder (tools/debug/scratch.h).
 */
tare_status quantize_draft(const quantize_writing *how, int profile, tare_plan **out,
                           tare_error *err);

#endif
