/* Keeps HDF5 inside the data file: by itself it would follow links and data sets to any file on the
 * machine. The caller holds tarei_hdf5_lock. */
#ifndef TAREI_DATASETS_HDF5_HDF5_GUARD_H
#define TAREI_DATASETS_HDF5_HDF5_GUARD_H

#include <hdf5.h>
#include <stdbool.h>

#include "base/error.h"

/* An access property list (of H5P_LINK_ACCESS or a class derived from it) that follows no link to
 * another file; close it with H5Pclose. */
hid_t tarei_h5_inside(hid_t access_class);

/* Whether the last part of a path is a link to another file. */
bool tarei_h5_leads_away(hid_t at, const char *path);

/* Opens a group of the file; negative on failure. */
hid_t tarei_h5_open_group(hid_t at, const char *path);

/* TARE_E_INPUT if the elements of a data set are in other files. */
tare_status tarei_h5_check_storage(hid_t set, const char *path, tare_error *err);

/* TARE_E_INPUT where the library cannot unpack the data set, which is known after it could not read
 * it: chunks that a filter could not make smaller are stored without it. */
tare_status tarei_h5_check_filters(hid_t set, tare_error *err);

#endif
