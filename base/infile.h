/* Opens files from outside: regular files only, and without waiting for anything else. */
#ifndef TAREI_BASE_INFILE_H
#define TAREI_BASE_INFILE_H

#include <stdint.h>

#include "base/error.h"

/* Opens a regular file for reading; close *fd. TARE_E_INPUT when it is missing, unreadable, or a
 * FIFO, socket, device or folder, named as such. `size` may be NULL. */
tare_status tarei_infile_open(const char *path, int *fd, int64_t *size, tare_error *err);

/* The check alone, of a file that is open; `name` is for messages. */
tare_status tarei_infile_check_fd(int fd, const char *name, int64_t *size, tare_error *err);

/* The same check for libraries that open files by their path. */
tare_status tarei_infile_check(const char *path, tare_error *err);

/* Reads up to n bytes from the front of a regular file; how many there were, 0 for anything else.
 */
size_t tarei_infile_head(const char *path, void *bytes, size_t n);

#endif
