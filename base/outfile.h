/* A file that appears whole or not at all: written beside its place, synced, then renamed. */
#ifndef TAREI_BASE_OUTFILE_H
#define TAREI_BASE_OUTFILE_H

#include <stdio.h>

#include "base/error.h"

typedef struct tarei_outfile {
  FILE *file;      /* open for writing between open and commit; NULL for _path_only */
  char *path;      /* final place */
  char *temporary; /* where the bytes go until commit */
  int mark;        /* of the temporary file among the unfinished ones */
} tarei_outfile;

/* Opens the temporary file. TARE_E_IO when the folder is missing or not writable, or when a
 * folder, device or pipe has that name; a link is followed. */
tare_status tarei_outfile_open(const char *path, tarei_outfile *out, tare_error *err);

/* The same for writers that open the file themselves (HDF5): `temporary` is created empty and is
 * theirs to fill and close before commit. */
tare_status tarei_outfile_open_path_only(const char *path, tarei_outfile *out, tare_error *err);

/* Syncs and renames; on failure the temporary file is removed. Ends the object either way. */
tare_status tarei_outfile_commit(tarei_outfile *out, tare_error *err);

/* Removes the temporary file. Fine on an object that was never opened or already ended. */
void tarei_outfile_abort(tarei_outfile *out);

#endif
