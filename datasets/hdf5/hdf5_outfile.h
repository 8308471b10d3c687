/*
 * An HDF5 file that appears whole or not at all.
 *
 * If closing a file fails, for instance on a full disk, HDF5 crashes at the end of the process,
 * when it tries again. It therefore writes through a driver that never reports a failure to it. The
 * failure is kept, and the functions here report it.
 *
 * The caller holds tarei_hdf5_lock in all calls.
 */
#ifndef TAREI_DATASETS_HDF5_HDF5_OUTFILE_H
#define TAREI_DATASETS_HDF5_HDF5_OUTFILE_H

#include <hdf5.h>
#include <stdbool.h>

#include "base/error.h"

typedef struct tarei_h5_sink tarei_h5_sink; /* destination of the driver */

typedef struct tarei_h5_outfile {
  hid_t file;
  tarei_h5_sink *sink; /* NULL if nothing is open */
} tarei_h5_outfile;

/* Creates the file, in the oldest format from `earliest` on and without timestamps, so that equal
 * contents give equal bytes. TARE_E_IO, TARE_E_MEMORY. */
tare_status tarei_h5_outfile_open(const char *path, H5F_libver_t earliest, tarei_h5_outfile *h,
                                  tare_error *err);

/* Checks a step of writing; `good` is whether the calls of HDF5 succeeded. */
tare_status tarei_h5_outfile_check(const tarei_h5_outfile *h, bool good, tare_error *err);

/* Closes the file, seals it (base/seal.h) if wanted, which HDF5 ignores, and gives it its name.
 * Closes the object either way. */
tare_status tarei_h5_outfile_commit(tarei_h5_outfile *h, bool seal, tare_error *err);

/* Removes the file. Does nothing for a zeroed or closed object. */
void tarei_h5_outfile_abort(tarei_h5_outfile *h);

#endif
