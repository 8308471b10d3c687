/*
 * Named NumPy arrays as samples: what the readers of .npy files, .npz archives and folders of .npy
 * files share.
 *
 * A set is one sample whose tensors are the arrays. If the first axis of every array counts
 * samples, it is many samples, "rows". Errors in the arrays are kept and reported by read: a set
 * that cannot be read is one bad sample.
 */
#ifndef TAREI_DATASETS_NUMPY_ARRAY_SET_H
#define TAREI_DATASETS_NUMPY_ARRAY_SET_H

#include "datasets/numpy/array_name.h"
#include "datasets/numpy/array_set_parts.h"
#include "datasets/reader.h"

/* Creates an empty set; free it with tarei_array_set_free. */
tare_status tarei_array_set_new(const tarei_data_spec *spec, bool labels, const char *kind,
                                tarei_array_set **out, tare_error *err);
void tarei_array_set_free(tarei_array_set *set); /* NULL is allowed */

/* Adds an array in memory that outlives the set. */
tare_status tarei_array_set_add(tarei_array_set *set, const char *name, const tarei_packed *packed,
                                tare_error *err);

/* Adds an array in its own file. */
tare_status tarei_array_set_add_file(tarei_array_set *set, const char *name, const char *path,
                                     tare_error *err);

/* Notes that there is an array that nothing seems to want, for messages. */
tare_status tarei_array_set_note_other(tarei_array_set *set, const char *name, tare_error *err);

/* Finds the array of each input by name (a model with one input uses the only one that matches),
 * and decides between one sample and rows. */
tare_status tarei_array_set_bind(tarei_array_set *set, tare_error *err);
/* Adds to the description that the set was taken as one sample although its rows could be samples
 * too. Called after a successful bind. */
void tarei_array_set_note_rows(tarei_array_set *set);

/* Completes the opening of a set; `fault` is the result of adding and binding, possibly TARE_OK. An
 * error in the data is kept as that of one bad sample. With any other error, the set is freed, *out
 * stays NULL, and the error is returned, with `path`. */
tare_status tarei_array_set_settle(tarei_array_set *set, const char *path, const tare_error *fault,
                                   void **out, tare_error *err);

/* The slots of tarei_reader_ops. */
int64_t tarei_array_set_count(const void *set);
const char *tarei_array_set_describe(const void *set);
tare_status tarei_array_set_read(void *set, int64_t i, tarei_slot *out, tare_error *err);
void tarei_array_set_close(void *set);

#endif
