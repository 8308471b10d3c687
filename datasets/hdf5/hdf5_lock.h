/*
 * The lock around the HDF5 library.
 *
 * HDF5 as most systems build it may not be called from two threads, not even for two files. Data
 * sets read ahead on a thread of their own, so every call into HDF5, on every floor, stands
 * between tarei_hdf5_lock and tarei_hdf5_unlock. Hold it for one step of work (open, one sample,
 * close), not for a whole run. Not recursive. While it is held, HDF5 does not print its error
 * stack; the printing that was set before comes back with the unlock.
 */
#ifndef TAREI_DATASETS_HDF5_HDF5_LOCK_H
#define TAREI_DATASETS_HDF5_HDF5_LOCK_H

#include <stdbool.h>

#include "base/error.h"

/* TARE_E_MEMORY when there is no memory to start the library, or once it has run out of it: it
 * does not survive that, and is not entered again. The lock is not held then. */
tare_status tarei_hdf5_lock(tare_error *err);

/* Takes the lock in any case, to let go of what is open. HDF5 may be called only while
 * tarei_hdf5_is_usable. */
void tarei_hdf5_lock_to_close(void);

/* Whether the lock's holder may call HDF5: it has not run out of memory so far. */
bool tarei_hdf5_is_usable(void);

/* Whether, since the lock, HDF5 ran out of memory or the system refused it a file or a read: its
 * answers may then be wrong. */
bool tarei_hdf5_in_trouble(void);

/* Ends the step, which went as `status` says. Where memory ran out inside HDF5 the step fails with
 * TARE_E_MEMORY, whatever was made of it: the library answers a question such as "is there such a
 * link" alike when it does not know. The reason of a read that failed is put behind the message. */
tare_status tarei_hdf5_unlock(tare_status status, tare_error *err);

#endif
