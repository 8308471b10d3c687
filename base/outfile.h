/*
 * A file that appears whole or not at all.
 *
 * Its bytes go into a file without a name in the same folder, which the system takes away when the
 * process ends, however it ends; commit gives it its name. Where the file system has no such files,
 * or /proc is missing, which gives them names, it is a file named PATH.PID-N instead.
 */
#ifndef TAREI_BASE_OUTFILE_H
#define TAREI_BASE_OUTFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

typedef struct tarei_outfile {
  int fd;          /* open for reading and writing until commit or abort */
  int reason;      /* errno of the first write that failed; 0 */
  uint64_t size;   /* bytes up to the end of what was written */
  char *path;      /* final place; NULL when nothing is open */
  char *temporary; /* room for a name beside it */
  int mark;        /* of that name among the unfinished files; 0 while the file has none */
  bool named;      /* `temporary` is the file's name */
} tarei_outfile;

/* Opens it. TARE_E_IO when the folder is missing or not writable, or when a folder, device or pipe
 * has that name; a link is followed. */
tare_status tarei_outfile_open(const char *path, tarei_outfile *out, tare_error *err);

/* Writes behind the last byte, or at an offset. The first failure is kept for commit, and later
 * writes do nothing. */
void tarei_outfile_write(tarei_outfile *out, const void *data, size_t bytes);
void tarei_outfile_write_at(tarei_outfile *out, uint64_t offset, const void *data, size_t bytes);

/* Makes the file shorter, or longer with zeros; failures as above. */
void tarei_outfile_resize(tarei_outfile *out, uint64_t bytes);

/* Reads what was written before; bytes behind the end stay as they are in `to`. Failures as above.
 */
void tarei_outfile_read_at(tarei_outfile *out, uint64_t offset, void *to, size_t bytes);

/* TARE_E_IO with the system's reason once a write has failed. */
tare_status tarei_outfile_check(const tarei_outfile *out, tare_error *err);

/* Syncs the file and gives it its name; on failure it is gone. Ends the object either way. */
tare_status tarei_outfile_commit(tarei_outfile *out, tare_error *err);

/* A whole file at once. */
tare_status tarei_outfile_save(const char *path, const void *data, size_t bytes, tare_error *err);

/* Drops the file. Fine on a zeroed object or one that has ended. */
void tarei_outfile_abort(tarei_outfile *out);

#endif
