/* The files of a part: its model, and the data that it reads. */
#ifndef TAREI_TOOLS_DEBUG_TRIAL_FILES_H
#define TAREI_TOOLS_DEBUG_TRIAL_FILES_H

#include "tools/debug/trial.h"

/* Opens the recorded inputs of the whole model, or data that were recorded for a part. */
tare_status trial_open_data(const trials *all, int file, const tare_model *model,
                            tare_dataset **out, tare_error *err);

/* Records the inputs and outputs of a plan; the data are rewound before. */
tare_status trial_record(const trials *all, const tare_plan *plan, tare_dataset *data,
                         const tare_eval_options *eval, const char *path, tare_error *err);

/* Writes the inputs as the user's options fit them to SCRATCH_INPUTS: by running `plan`, or where
 * that is NULL, the first nodes of the model that tare builds for these profiles. */
tare_status trial_record_inputs(trials *all, const tare_plan *plan, const tare_profiles *profiles,
                                tare_dataset *data, const tare_eval_options *eval, tare_error *err);

/* Writes a part with the types that it has as a model; NULL: it cannot be loaded. */
tare_status trial_write_model(const trials *all, const model_part *part, const tare_model *model,
                              const char *path, tare_error *err);

/* Writes SCRATCH_MODEL, and SCRATCH_DATA where inputs are recorded. */
tare_status trial_write(const trials *all, const model_part *part, tare_error *err);

#endif
