#include "datasets/tar/tar_file.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/infile.h"
#include "base/mem.h"

enum { TAR_BLOCK = 1 << 16 };

struct tarei_tar_file {
  struct archive *archive;
  int fd; /* -1: not open */
  int64_t bytes, at;
  int reason; /* errno of the first read that failed, or 0 */
  uint8_t block[TAR_BLOCK];
};

/* --- the file --------------------------------------------------------------------------------- */

static la_ssize_t tar_file_give(struct archive *const archive, void *const user,
                                const void **const out) {
  tarei_tar_file *const tar = user;
  ssize_t n;
  do {
    n = pread(tar->fd, tar->block, sizeof tar->block, tar->at);
  } while (n < 0 && errno == EINTR);
  if (n < 0) {
    tar->reason = errno;
    archive_set_error(archive, errno, "cannot read");
    return -1;
  }
  tar->at += n;
  *out = tar->block;
  return n;
}

/* Never beyond the end: a member that is cut is an error. */
static la_int64_t tar_file_skip(struct archive *const archive, void *const user,
                                const la_int64_t wanted) {
  (void)archive;
  tarei_tar_file *const tar = user;
  const int64_t left = tar->bytes - tar->at;
  const int64_t n = wanted < left ? wanted : left;
  tar->at += n > 0 ? n : 0;
  return n > 0 ? n : 0;
}

/* --- the archive ------------------------------------------------------------------------------ */

static tare_status fail_archive(const tarei_tar_file *const tar, tare_error *const err) {
  if (tar->reason) {
    return tarei_fail(err, TARE_E_INPUT, "cannot read: %s", strerror(tar->reason));
  }
  const char *const what = archive_error_string(tar->archive);
  if (archive_errno(tar->archive) == ENOMEM || !what) { /* libarchive names every other reason */
    return tarei_fail_memory(err, "the archive", 0);
  }
  return tarei_fail(err, TARE_E_INPUT, "not a readable tar archive: %s", what);
}

/* A filter that the library lacks would run a program instead: those are left out. */
static bool tar_file_set_up(struct archive *const archive) {
  return archive_read_support_format_tar(archive) == ARCHIVE_OK &&
         archive_read_support_filter_gzip(archive) == ARCHIVE_OK &&
         archive_read_support_filter_zstd(archive) == ARCHIVE_OK &&
         archive_read_support_filter_xz(archive) == ARCHIVE_OK &&
         archive_read_support_filter_bzip2(archive) == ARCHIVE_OK;
}

static tare_status open_archive(tarei_tar_file *const tar, tare_error *const err) {
  if (!tarei_memory_is_left() || !(tar->archive = archive_read_new())) {
    return tarei_fail_memory(err, "libarchive", sizeof *tar);
  }
  if (!tar_file_set_up(tar->archive)) {
    return archive_errno(tar->archive) == ENOMEM
               ? tarei_fail_memory(err, "libarchive", sizeof *tar)
               : tarei_fail(err, TARE_E_INPUT, "libarchive cannot unpack gzip, zstd, xz and bzip2");
  }
  return archive_read_open2(tar->archive, tar, NULL, tar_file_give, tar_file_skip, NULL) ==
                 ARCHIVE_OK
             ? TARE_OK
             : fail_archive(tar, err);
}

tare_status tarei_tar_file_open(const char *const path, tarei_tar_file **const out,
                                tare_error *const err) {
  tarei_tar_file *const tar = tarei_calloc(1, sizeof *tar);
  if (!tar) {
    return tarei_fail_memory(err, path, sizeof *tar);
  }
  tar->fd = -1;
  tare_status status = tarei_infile_open(path, &tar->fd, &tar->bytes, err);
  if (status == TARE_OK) {
    status = open_archive(tar, err);
  } else {
    tar->fd = -1;
  }
  if (status != TARE_OK) {
    tarei_tar_file_close(tar);
    return status;
  }
  *out = tar;
  return TARE_OK;
}

void tarei_tar_file_close(tarei_tar_file *const tar) {
  if (!tar) {
    return;
  }
  if (tar->archive) {
    (void)archive_read_free(tar->archive); /* only read */
  }
  if (tar->fd >= 0) {
    (void)close(tar->fd);
  }
  free(tar);
}

/* Names in pax headers are UTF-8, which a plain locale cannot convert. */
static const char *tar_file_name(struct archive_entry *const entry) {
  const char *const name = archive_entry_pathname(entry);
  return name ? name : archive_entry_pathname_utf8(entry);
}

static tare_status tar_file_check_entry(struct archive_entry *const entry, const char *const name,
                                        tare_error *const err) {
  if (!name || !*name) {
    return tarei_fail(err, TARE_E_INPUT, "has a member without a readable name");
  }
  if (archive_entry_filetype(entry) == AE_IFLNK || archive_entry_hardlink(entry)) {
    return tarei_fail(err, TARE_E_INPUT,
                      "member '%s' is a link: links in archives are not followed (tar "
                      "--dereference --hard-dereference stores contents)",
                      name);
  }
  return archive_entry_filetype(entry) == AE_IFREG && archive_entry_size(entry) >= 0
             ? TARE_OK
             : tarei_fail(err, TARE_E_INPUT, "member '%s' is not a regular file", name);
}

tare_status tarei_tar_file_next(tarei_tar_file *const tar, tarei_tar_member *const out,
                                bool *const more, tare_error *const err) {
  struct archive_entry *entry = NULL;
  int got;
  do {
    got = archive_read_next_header(tar->archive, &entry);
  } while ((got == ARCHIVE_OK || got == ARCHIVE_WARN) && archive_entry_filetype(entry) == AE_IFDIR);
  *more = got == ARCHIVE_OK || got == ARCHIVE_WARN;
  if (!*more) {
    return got == ARCHIVE_EOF && !tar->reason ? TARE_OK : fail_archive(tar, err);
  }
  const char *const name = tar_file_name(entry);
  TAREI_TRY(tar_file_check_entry(entry, name, err));
  *out = (tarei_tar_member){.name = name, .bytes = archive_entry_size(entry)};
  return TARE_OK;
}

tare_status tarei_tar_file_read(tarei_tar_file *const tar, const tarei_tar_member *const member,
                                uint8_t *const to, tare_error *const err) {
  int64_t done = 0;
  while (done < member->bytes) {
    const la_ssize_t n = archive_read_data(tar->archive, to + done, (size_t)(member->bytes - done));
    if (n < 0) {
      return fail_archive(tar, err);
    }
    if (n == 0) {
      return tarei_fail(err, TARE_E_INPUT, "member '%s' is truncated: %lld of %lld bytes",
                        member->name, (long long)done, (long long)member->bytes);
    }
    done += n;
  }
  return TARE_OK;
}
