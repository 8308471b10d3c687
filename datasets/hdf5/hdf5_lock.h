/*
 * The lock around the HDF5 library.
 *
 * As most systems build it, HDF5 must not be called by two threads at the same time, not even for
 * different files. Data sets read ahead on other threads, so every call of HDF5, on any floor, is
 * between tarei_hdf5_lock and tarei_hdf5_unlock. Hold the lock for one step of work (open, one
 * sample, close), not for a whole run. It is not recursive. While it is held, HDF5 does not print
 * its error stack; unlock restores the previous setting.
 */
#ifndef TAREI_DATASETS_HDF5_HDF5_LOCK_H
#define TAREI_DATASETS_HDF5_HDF5_LOCK_H

#include <stdbool.h>

#include "base/error.h"

/* Takes the lock. TARE_E_MEMORY, without the lock, if there is not enough memory to start the
 * library, or if it has run out of memory before: it does not survive that, and is not called
 * again. */
tare_status tarei_hdf5_lock(tare_error *err);

/* Takes the lock in any case, to close what is open. HDF5 may only be called if
 * tarei_hdf5_is_usable. */
void tarei_hdf5_lock_to_close(void);

/* Whether the holder of the lock may call HDF5: it has not run out of memory so far. */
bool tarei_hdf5_is_usable(void);

/* Whether HDF5 has run out of memory, or failed to open or read a file, since the lock was taken:
 * its answers may then be wrong. */
bool tarei_hdf5_in_trouble(void);

/* Ends the step, whose status is `status`, and releases the lock. If memory ran out inside HDF5,
 * the step fails with TARE_E_MEMORY, whatever its status: to a question such as "is there such a
 * link", the library gives the same answer when it does not know. If a read failed, its reason is
 * added to the message. */
tare_status tarei_hdf5_unlock(tare_status status, tare_error *err);

#endif
