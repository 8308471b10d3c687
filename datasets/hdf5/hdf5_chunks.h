/* Chunks as they are stored. HDF5 takes their size, and which filters made them, from the file, and
 * reads behind the end of a chunk that unpacks to less than its extent. So chunks are looked at
 * before HDF5 unpacks them. The caller holds tarei_hdf5_lock. */
#ifndef TAREI_DATASETS_HDF5_HDF5_CHUNKS_H
#define TAREI_DATASETS_HDF5_HDF5_CHUNKS_H

#include <hdf5.h>

#include "base/error.h"

/* How a data set is divided, and which of its chunks were looked at. */
typedef struct tarei_h5_chunks tarei_h5_chunks;

/* Of an open data set, which stays open as long; NULL where it has no chunks. TARE_E_LIMIT if one
 * of them is too large, TARE_E_MEMORY. */
tare_status tarei_h5_chunks_new(hid_t set, const char *path, tarei_h5_chunks **out,
                                tare_error *err);
void tarei_h5_chunks_free(tarei_h5_chunks **chunks);

/* Looks at those that the box [start, start + count) needs. NULL chunks are right. TARE_E_INPUT
 * names the first that unpacks to another size than its extent. Filters that HDF5 does not know,
 * and those for numbers of few bits, are taken at their word. */
tare_status tarei_h5_chunks_check(tarei_h5_chunks *chunks, const hsize_t *start,
                                  const hsize_t *count, tare_error *err);

/* The same of all chunks of a data set that is read at once. */
tare_status tarei_h5_check_all_chunks(hid_t set, const char *path, tare_error *err);

#endif
