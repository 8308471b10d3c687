/*
 * An HDF5 file that appears whole or not at all.
 *
 * The library crashes when the process ends if closing a file has failed, as it does on a full
 * disk: it tries again with what is left of the file. So it writes through a driver that never
 * tells it of a failure. The failure is kept, and the calls here report it.
 *
 * The caller holds tarei_hdf5_lock in all calls.
 */
#ifndef TAREI_DATASETS_HDF5_HDF5_OUTFILE_H
#define TAREI_DATASETS_HDF5_HDF5_OUTFILE_H

#include <hdf5.h>
#include <stdbool.h>

#include "base/error.h"

typedef struct tarei_h5_sink tarei_h5_sink; /* where the driver writes */

typedef struct tarei_h5_outfile {
  hid_t file;
  tarei_h5_sink *sink; /* NULL when nothing is open */
} tarei_h5_outfile;

/* Creates the file with the earliest format from `earliest` on, and without times: the same content
 * gives the same bytes. TARE_E_IO, TARE_E_MEMORY. */
tare_status tarei_h5_outfile_open(const char *path, H5F_libver_t earliest, tarei_h5_outfile *h,
                                  tare_error *err);

/* After a step of writing: `good` says whether the calls into HDF5 did their work. */
tare_status tarei_h5_outfile_check(const tarei_h5_outfile *h, bool good, tare_error *err);

/* Closes the file and makes it appear. Ends the object either way. */
tare_status tarei_h5_outfile_commit(tarei_h5_outfile *h, tare_error *err);

/* Drops the file. Fine on a zeroed object or one that has ended. */
void tarei_h5_outfile_abort(tarei_h5_outfile *h);

#endif
