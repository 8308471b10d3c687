/* The models that tare quantize writes: one, or one for each profile. */
#ifndef TAREI_TOOLS_QUANTIZE_QUANTIZE_FILES_H
#define TAREI_TOOLS_QUANTIZE_QUANTIZE_FILES_H

#include "tools/quantize/quantize_writing.h"
#include "tools/tune/accuracy.h"

typedef struct quantize_file {
  char *path;
  int profile; /* whose thresholds it has; -1: the largest of all */
  tare_export *out;
  bool external;      /* constants are beside the model */
  bool had, had_data; /* there were such files before */
  tare_plan *plan;    /* of what is in the file; NULL before it is read */
  accuracy checked;   /* on some samples of the calibration */
} quantize_file;

typedef struct quantize_files {
  quantize_file *items;
  int n;
  tare_eval_result *results; /* one for each file; NULL before the evaluation */
} quantize_files;

/* PATH itself, or with `per_profile` PATH with the number of each profile in front of its ".onnx".
 * Fails if one of them cannot be written, or is one of the inputs. */
tare_status quantize_files_name(const char *path, bool per_profile, int n_profiles,
                                const cli_list *inputs, quantize_files *out, tare_error *err);
/* Removes what was written after all, but where there was a file before. */
void quantize_files_remove(const quantize_files *files);
void quantize_files_fini(quantize_files *files);

tare_status quantize_files_write(const quantize_writing *how, quantize_files *files,
                                 tare_error *err);

/* Reads the files back, where that is not done yet, and runs them over the data. */
tare_status quantize_files_run(const quantize_writing *how, tare_dataset *data,
                               const tare_eval_options *options, quantize_files *files,
                               tare_eval_result *results, tare_error *err);

/* Score of a file: over all samples, or over those of its profile. */
const tare_eval_score *quantize_score(const tare_eval_result *result, int profile);

/* Its SQNR in dB, over all samples that of the lowest level. */
double quantize_sqnr(const tare_eval_result *result, int profile);

#endif
