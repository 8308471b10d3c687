/* Opens HDF5 files so that a damaged one cannot crash the library. The caller holds
 * tarei_hdf5_lock. */
#ifndef TAREI_DATASETS_HDF5_HDF5_DRIVER_H
#define TAREI_DATASETS_HDF5_HDF5_DRIVER_H

#include <hdf5.h>

/* For reading; negative on failure, with the reason on HDF5's error stack. */
hid_t tarei_h5_open_read(const char *path);

#endif
