/*
 * A file that appears whole or not at all.
 *
 * It is written as a file without a name in the same folder, which the system removes when the
 * process ends in any way; commit gives it its name. If the file system does not support such
 * files, or /proc, which is needed to name them, is missing, the file is named PATH.PID-N until
 * then.
 */
#ifndef TAREI_BASE_OUTFILE_H
#define TAREI_BASE_OUTFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

typedef struct tarei_outfile {
  int fd;          /* open for reading and writing until commit or abort */
  int reason;      /* errno of the first write that failed, or 0 */
  uint64_t size;   /* bytes up to the end of what was written */
  char *path;      /* final name; NULL if nothing is open */
  char *temporary; /* buffer for a temporary name in the same folder */
  int mark;        /* mark of that name (base/unfinished.h); 0 without a name */
  bool named;      /* the file has the name `temporary` */
} tarei_outfile;

/* Opens the file. TARE_E_IO if the folder is missing or not writable, or if a folder, device or
 * pipe has that name. Links are followed. */
tare_status tarei_outfile_open(const char *path, tarei_outfile *out, tare_error *err);

/* Appends bytes, or writes them at an offset. The first failure is kept for commit, and later
 * writes do nothing. */
void tarei_outfile_write(tarei_outfile *out, const void *data, size_t bytes);
void tarei_outfile_write_at(tarei_outfile *out, uint64_t offset, const void *data, size_t bytes);

/* Shortens the file, or extends it with zeros. Failures as above. */
void tarei_outfile_resize(tarei_outfile *out, uint64_t bytes);

/* Reads what was written before; bytes of `to` beyond the end of the file are unchanged. Failures
 * as above. */
void tarei_outfile_read_at(tarei_outfile *out, uint64_t offset, void *to, size_t bytes);

/* TARE_E_IO, with the reason of the system, if a write has failed. */
tare_status tarei_outfile_check(const tarei_outfile *out, tare_error *err);

/* TARE_E_IO if a write has failed or what was written does not reach the disk. Of two files that
 * belong together each is synced before one is committed. */
tare_status tarei_outfile_sync(tarei_outfile *out, tare_error *err);

/* Syncs the file and gives it its name; after a failure it is removed. Closes the object either
 * way. */
tare_status tarei_outfile_commit(tarei_outfile *out, tare_error *err);

/* Writes a whole file at once. */
tare_status tarei_outfile_save(const char *path, const void *data, size_t bytes, tare_error *err);

/* Removes the file. Does nothing for a zeroed or closed object. */
void tarei_outfile_abort(tarei_outfile *out);

#endif
