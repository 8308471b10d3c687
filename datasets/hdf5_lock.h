/*
 * The lock around the HDF5 library.
 *
 * HDF5 as most systems build it may not be called from two threads, not even for two files. Data
 * sets read ahead on a thread of their own, so every call into HDF5, on every floor, stands
 * between tarei_hdf5_lock and tarei_hdf5_unlock. Hold it for one step of work (open, one sample,
 * close), not for a whole run. Not recursive. While it is held, HDF5 does not print its error
 * stack; the printing that was set before comes back with the unlock.
 */
#ifndef TAREI_DATASETS_HDF5_LOCK_H
#define TAREI_DATASETS_HDF5_LOCK_H

void tarei_hdf5_lock(void);
void tarei_hdf5_unlock(void);

#endif
