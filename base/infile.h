/* Opens untrusted files: regular files only, without ever waiting for a pipe or device. */
#ifndef TAREI_BASE_INFILE_H
#define TAREI_BASE_INFILE_H

#include <stdint.h>

#include "base/error.h"

/* Opens a regular file for reading; the caller closes *fd. TARE_E_INPUT if it is missing,
 * unreadable, or a FIFO, socket, device or folder, which the message says. `size` may be NULL. */
tare_status tarei_infile_open(const char *path, int *fd, int64_t *size, tare_error *err);

/* The same check of a file that is already open; `name` is for messages. */
tare_status tarei_infile_check_fd(int fd, const char *name, int64_t *size, tare_error *err);

/* The same check for libraries that open files by their path. */
tare_status tarei_infile_check(const char *path, tare_error *err);

/* Reads up to n bytes from the beginning of a regular file. Returns how many were read, 0 for
 * anything else. */
size_t tarei_infile_head(const char *path, void *bytes, size_t n);

#endif
