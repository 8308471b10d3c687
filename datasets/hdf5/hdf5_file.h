/* Helpers around the HDF5 library. The caller holds tarei_hdf5_lock. */
#ifndef TAREI_DATASETS_HDF5_HDF5_FILE_H
#define TAREI_DATASETS_HDF5_HDF5_FILE_H

#include <hdf5.h>
#include <stdbool.h>
#include <tare/tensor.h>

#include "base/error.h"
#include "datasets/convert.h"
#include "datasets/hdf5/hdf5_chunks.h"

enum { TAREI_H5_MAX_RANK = TARE_MAX_RANK + 1 }; /* the samples along one axis more */

/* A data set of numbers, or of variable-length rows of numbers. */
typedef struct tarei_h5_data {
  hid_t set;
  tarei_h5_chunks *chunks; /* owned */
  hid_t memory_type;       /* of one element: int64, uint64, double or float, or a vlen of it */
  tarei_number number;
  bool vlen;
  int rank;
  int64_t dims[TAREI_H5_MAX_RANK];
} tarei_h5_data;

/* Whether a file begins like an HDF5 file. */
bool tarei_h5_has_signature(const char *path);

/* Opens a file for reading. TARE_E_INPUT names the file, with the message of HDF5. */
tare_status tarei_h5_open_file(const char *path, hid_t *out, tare_error *err);

bool tarei_h5_is_data_set(hid_t at, const char *path);
bool tarei_h5_is_group(hid_t at, const char *path);

/* Opens a data set. TARE_E_INPUT names path and type if it does not contain numbers. Close `out`
 * with tarei_h5_close_data after success only. */
tare_status tarei_h5_open_data(hid_t at, const char *path, tarei_h5_data *out, tare_error *err);
void tarei_h5_close_data(tarei_h5_data *data);

/* Reads the box [start, start + count) of all axes into `out`, in row-major order. */
tare_status tarei_h5_read_box(const tarei_h5_data *data, const int64_t *start, const int64_t *count,
                              void *out, tare_error *err);

/* The same, with a transfer property list of the caller. */
tare_status tarei_h5_read_box_with(const tarei_h5_data *data, hid_t transfer, const int64_t *start,
                                   const int64_t *count, void *out, tare_error *err);

/* Calls visit for each link of a group in the order of names, until a call does not return TARE_OK;
 * returns that status. */
typedef tare_status (*tarei_h5_visit_fn)(hid_t group, const char *name, void *user,
                                         tare_error *err);
tare_status tarei_h5_each(hid_t group, tarei_h5_visit_fn visit, void *user, tare_error *err);

#endif
