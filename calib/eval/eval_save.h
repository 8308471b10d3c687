/* Saves the outputs of runs in an HDF5 file: a group per sample, a data set per output. */
#ifndef TAREI_CALIB_EVAL_EVAL_SAVE_H
#define TAREI_CALIB_EVAL_EVAL_SAVE_H

#include <tare/tensor.h>

#include "base/error.h"

typedef struct tarei_eval_save tarei_eval_save;

/* Creates the file. `count` is the maximum number of samples, for the width of group names. */
tare_status tarei_eval_save_new(const char *path, int64_t count, tarei_eval_save **out,
                                tare_error *err);

/* Begins the group of a sample, whose number is its place among all samples and levels, with its
 * name as an attribute. */
tare_status tarei_eval_save_sample(tarei_eval_save *save, int64_t number, const char *name,
                                   tare_error *err);

/* Writes one output of one sample: its valid part, float types as float32. */
tare_status tarei_eval_save_output(tarei_eval_save *save, int64_t number, const char *output,
                                   const tare_tensor *tensor, const int64_t *extents,
                                   tare_error *err);

/* Writes a text for a sample, as UTF-8. */
tare_status tarei_eval_save_text(tarei_eval_save *save, int64_t number, const char *name,
                                 const char *text, tare_error *err);

/* Takes a sample out again, if it is there. */
tare_status tarei_eval_save_drop(tarei_eval_save *save, int64_t number, tare_error *err);

/* Completes the file and gives it its name. Only tarei_eval_save_free may follow. */
tare_status tarei_eval_save_commit(tarei_eval_save *save, tare_error *err);

/* Frees the object and removes a file that was not committed. NULL is allowed. */
void tarei_eval_save_free(tarei_eval_save **save);

#endif
