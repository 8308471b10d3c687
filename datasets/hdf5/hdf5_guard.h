/* A file of data is read, and nothing it points to: HDF5 would follow links and data sets into any
 * file of the machine. The caller holds tarei_hdf5_lock. */
#ifndef TAREI_DATASETS_HDF5_HDF5_GUARD_H
#define TAREI_DATASETS_HDF5_HDF5_GUARD_H

#include <hdf5.h>
#include <stdbool.h>

#include "base/error.h"

/* A property list of a class of access (H5P_LINK_ACCESS and those derived from it) that follows no
 * link to another file; close it with H5Pclose. */
hid_t tarei_h5_inside(hid_t access_class);

/* The last part of a path is a link to another file. */
bool tarei_h5_leads_away(hid_t at, const char *path);

/* Opens a group of the file; negative on failure. */
hid_t tarei_h5_open_group(hid_t at, const char *path);

/* TARE_E_INPUT where the elements of a data set lie in other files; TARE_E_LIMIT where one chunk of
 * them is too large to be held. */
tare_status tarei_h5_check_storage(hid_t set, const char *path, tare_error *err);

#endif
