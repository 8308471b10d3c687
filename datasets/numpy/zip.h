/* What a zip archive holds: stored and deflated members, zip64 sizes. */
#ifndef TAREI_DATASETS_NUMPY_ZIP_H
#define TAREI_DATASETS_NUMPY_ZIP_H

#include <tare/limits.h>

#include "base/source.h"
#include "datasets/numpy/unpack.h"

typedef struct tarei_zip_member {
  char *name;
  tarei_packed packed;
} tarei_zip_member;

typedef struct tarei_zip {
  tarei_zip_member *members;
  size_t n, capacity;
} tarei_zip;

/* Reads the directory; the members point into `source`, the caller's. TARE_E_INPUT for what is no
 * zip archive, is cut, is encrypted, packed in another way, or promises what deflate cannot give;
 * TARE_E_LIMIT where the members unpack to more than a limit. End `out` with tarei_zip_fini either way. */
tare_status tarei_zip_open(const tarei_source *source, const tare_limits *limits, tarei_zip *out,
                           tare_error *err);
void tarei_zip_fini(tarei_zip *zip);

#endif
