/* A folder with a file <input>.npy per model input: one sample. */
#ifndef TAREI_DATASETS_NUMPY_NPY_FOLDER_H
#define TAREI_DATASETS_NUMPY_NPY_FOLDER_H

#include "datasets/data_spec.h"

/* Whether a folder has the file of at least one input, or where there are several one that is nearly
 * named so; one that cannot be listed has none. */
tare_status tarei_npy_folder_is_sample(const char *folder, const tarei_data_spec *spec, bool *out,
                                       tare_error *err);

#endif
