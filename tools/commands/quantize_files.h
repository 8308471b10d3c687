/* The models that tare quantize writes: one, or one for each profile. */
#ifndef TAREI_TOOLS_COMMANDS_QUANTIZE_FILES_H
#define TAREI_TOOLS_COMMANDS_QUANTIZE_FILES_H

#include "tools/options/options.h"

typedef struct quantize_file {
  char *path;
  int profile; /* whose thresholds it has; -1: the largest of all */
  tare_export *out;
  bool external;   /* constants are beside the model */
  tare_plan *plan; /* of what is in the file */
} quantize_file;

typedef struct quantize_files {
  quantize_file *items;
  int n;
  tare_eval_result *results; /* one for each file; NULL before the evaluation */
} quantize_files;

/* How they are made. */
typedef struct quantize_writing {
  const char *model;
  const opt_common *common;
  const opt_export *export;
  const opt_model *model_options;
  const tare_table *table;
  const tare_profiles *profiles;
} quantize_writing;

/* PATH itself, or with `per_profile` PATH with the number of each profile in front of its ".onnx".
 * Fails if one of them cannot be written, or is one of the inputs. */
tare_status quantize_files_name(const char *path, bool per_profile, int n_profiles,
                                const cli_list *inputs, quantize_files *out, tare_error *err);
void quantize_files_fini(quantize_files *files);

tare_status quantize_files_write(const quantize_writing *how, quantize_files *files,
                                 tare_error *err);

/* Reads the files back and runs them over the data, each value rounded where it has a pair: nearest
 * to what the engine computes. */
tare_status quantize_files_run(const quantize_writing *how, tare_dataset *data,
                               const tare_eval_options *options, quantize_files *files,
                               tare_error *err);

/* Score of a file: over all samples, or over those of its profile. */
const tare_eval_score *quantize_file_score(const quantize_files *files, int i);

#endif
