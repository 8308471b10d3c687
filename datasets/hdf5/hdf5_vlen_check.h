/* Checks the descriptors of variable-length rows. The HDF5 library follows them without checks, so
 * that a corrupt file makes it read outside its memory, or allocate gigabytes. They are checked
 * here before the library reads them. */
#ifndef TAREI_DATASETS_HDF5_HDF5_VLEN_CHECK_H
#define TAREI_DATASETS_HDF5_HDF5_VLEN_CHECK_H

#include "base/source.h"
#include "datasets/hdf5/hdf5_file.h"

typedef struct tarei_vlen_check {
  tarei_source bytes; /* the whole file, mapped */
  bool active;        /* descriptors are accessible: not filtered, not inside an object header */
  hid_t set;          /* of the caller */
  size_t base;        /* offset to which the addresses in the file are relative */
  size_t rows;        /* offset of contiguous descriptors */
  hsize_t chunk;      /* descriptors in a chunk; 0: contiguous */
  size_t address_bytes, length_bytes, element_bytes;
} tarei_vlen_check;

/* `set` is a 1-D vlen data set of `file`, and must stay open. TARE_E_INPUT, TARE_E_MEMORY; free
 * `out` with tarei_vlen_check_fini either way. */
tare_status tarei_vlen_check_init(hid_t file, hid_t set, tarei_vlen_check *out, tare_error *err);
void tarei_vlen_check_fini(tarei_vlen_check *check);

/* TARE_E_INPUT if row i has more than max_elements or is not inside the file. */
tare_status tarei_vlen_check_row(const tarei_vlen_check *check, int64_t i, int64_t max_elements,
                                 tare_error *err);

/* Releases the pages that the checks touched, so that memory does not grow with the file. */
void tarei_vlen_check_release(const tarei_vlen_check *check);

#endif
