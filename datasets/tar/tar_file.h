/* The members of a tar archive one after the other, packed or not, read by libarchive through our
 * functions, which tell a read error from the end of the file. Nothing is written anywhere. */
#ifndef TAREI_DATASETS_TAR_TAR_FILE_H
#define TAREI_DATASETS_TAR_TAR_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

typedef struct tarei_tar_file tarei_tar_file;

/* A regular file inside the archive, valid until the next one. */
typedef struct tarei_tar_member {
  const char *name;
  int64_t bytes;
} tarei_tar_member;

/* TARE_E_INPUT: the file cannot be opened, or is not a tar archive (gzip, zstd, xz and bzip2 are
 * unpacked); TARE_E_MEMORY. */
tare_status tarei_tar_file_open(const char *path, tarei_tar_file **out, tare_error *err);
void tarei_tar_file_close(tarei_tar_file *tar); /* NULL is allowed */

/* Goes to the next member; folders are passed over. *more is false at the end. TARE_E_INPUT: the
 * archive is malformed or truncated, or has a link, a device or a member without a readable name.
 */
tare_status tarei_tar_file_next(tarei_tar_file *tar, tarei_tar_member *out, bool *more,
                                tare_error *err);

/* Reads all bytes of the member, once. */
tare_status tarei_tar_file_read(tarei_tar_file *tar, const tarei_tar_member *member, uint8_t *to,
                                tare_error *err);

#endif
