#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tare/tare.h>

#include "base/mem.h"
#include "base/unfinished.h"

enum { SUFFIX_BYTES = 40, MOST_TRIES = 1000 };

static tare_status fail_io(tare_error *const err, const char *const what, const char *const path) {
  return tarei_fail(err, TARE_E_IO, "%s: cannot %s: %s", path, what, strerror(errno));
}

static void outfile_end(tarei_outfile *const out) {
  tarei_unfinished_remove(out->mark);
  free(out->path);
  free(out->temporary);
  *out = (tarei_outfile){0};
}

/* The place that a rename goes to: the end of a link, so that the link stays; never a device or
 * pipe such as /dev/null, which a plain file would replace. */
static tare_status outfile_find_place(const char *const path, char **const place,
                                      tare_error *const err) {
  struct stat there;
  const bool link = lstat(path, &there) == 0 && S_ISLNK(there.st_mode);
  errno = 0;
  *place = link ? realpath(path, NULL) : tarei_strdup(path);
  if (!*place) {
    return errno && errno != ENOMEM ? fail_io(err, "follow the link", path)
                                    : tarei_fail_memory(err, path, strlen(path));
  }
  if (stat(*place, &there) != 0 || S_ISREG(there.st_mode)) {
    return TARE_OK;
  }
  free(*place);
  *place = NULL;
  return tarei_fail(err, TARE_E_IO, "%s: cannot write to a %s", path,
                    S_ISDIR(there.st_mode) ? "folder" : "device or pipe");
}

/* --- names ------------------------------------------------------------------------------------ */

/* Does `make` with names beside the place until one is free; -1 with errno, as `make` gives it. */
static int make_named(tarei_outfile *const out, int (*const make)(const char *name, int fd)) {
  static atomic_uint counter;
  const size_t room = strlen(out->path) + SUFFIX_BYTES;
  int made = -1;
  errno = EEXIST;
  for (int i = 0; i < MOST_TRIES && made < 0 && errno == EEXIST; i++) {
    (void)snprintf(out->temporary, room, "%s.%ld-%u", out->path, (long)getpid(),
                   atomic_fetch_add(&counter, 1));
    made = make(out->temporary, out->fd);
  }
  if (made >= 0) {
    out->named = true;
    out->mark = tarei_unfinished_add(out->temporary);
  }
  return made;
}

static int create(const char *const name, const int fd) {
  (void)fd; /* there is none yet */
  return open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

static void print_proc_path(const int fd, char *const text, const size_t size) {
  (void)snprintf(text, size, "/proc/self/fd/%d", fd);
}

/* AT_EMPTY_PATH would do without /proc, but needs privileges before Linux 6.10. */
static int link_as(const char *const name, const int fd) {
  char proc[32];
  print_proc_path(fd, proc, sizeof proc);
  return linkat(AT_FDCWD, proc, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

/* -1 where the system or the file system has no files without names, or could not name them later.
 */
static int create_unnamed(const char *const path) {
#ifdef O_TMPFILE
  char *const folder = tarei_strdup(path);
  if (!folder) {
    return -1;
  }
  char *const slash = strrchr(folder, '/');
  if (slash) {
    slash[slash == folder] = '\0'; /* the root keeps its slash */
  }
  const int fd = open(slash ? folder : ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
  free(folder);
  char proc[32];
  print_proc_path(fd, proc, sizeof proc);
  if (fd >= 0 && access(proc, F_OK) != 0) {
    (void)close(fd); /* nothing was written */
    return -1;
  }
  return fd;
#else
  (void)path;
  return -1;
#endif
}

tare_status tarei_outfile_open(const char *const path, tarei_outfile *const out,
                               tare_error *const err) {
  *out = (tarei_outfile){.fd = -1};
  TAREI_TRY(outfile_find_place(path, &out->path, err));
  out->temporary = tarei_calloc(strlen(out->path) + SUFFIX_BYTES, 1);
  if (!out->temporary) {
    outfile_end(out);
    return tarei_fail_memory(err, path, strlen(path));
  }
  out->fd = create_unnamed(out->path);
  if (out->fd < 0) {
    out->fd = make_named(out, create);
  }
  if (out->fd < 0) {
    const tare_status status = fail_io(err, "create", path);
    outfile_end(out);
    return status;
  }
  return TARE_OK;
}

/* --- bytes ------------------------------------------------------------------------------------ */

void tarei_outfile_write_at(tarei_outfile *const out, uint64_t offset, const void *const data,
                            const size_t bytes) {
  const char *next = data;
  size_t left = bytes;
  while (left && !out->reason) {
    const ssize_t n = pwrite(out->fd, next, left, (off_t)offset);
    if (n > 0) {
      next += n;
      left -= (size_t)n;
      offset += (uint64_t)n;
    } else if (n == 0 || errno != EINTR) {
      out->reason = n == 0 ? ENOSPC : errno;
    }
  }
  out->size = offset > out->size ? offset : out->size;
}

void tarei_outfile_write(tarei_outfile *const out, const void *const data, const size_t bytes) {
  tarei_outfile_write_at(out, out->size, data, bytes);
}

void tarei_outfile_resize(tarei_outfile *const out, const uint64_t bytes) {
  if (!out->reason && ftruncate(out->fd, (off_t)bytes) != 0) {
    out->reason = errno;
  }
  out->size = bytes;
}

void tarei_outfile_read_at(tarei_outfile *const out, uint64_t offset, void *const to,
                           const size_t bytes) {
  char *next = to;
  size_t left = bytes;
  while (left) {
    const ssize_t n = pread(out->fd, next, left, (off_t)offset);
    if (n > 0) {
      next += n;
      left -= (size_t)n;
      offset += (uint64_t)n;
    } else if (n == 0 || errno != EINTR) {
      out->reason = n < 0 && !out->reason ? errno : out->reason;
      return;
    }
  }
}

tare_status tarei_outfile_check(const tarei_outfile *const out, tare_error *const err) {
  errno = out->reason;
  return out->reason ? fail_io(err, "write", out->path) : TARE_OK;
}

/* --- the end ---------------------------------------------------------------------------------- */

/* A file without a name can take one that is free, but not replace another: for that it needs a
 * name beside it first. Nothing but the end of the process right between the two calls leaves
 * that behind. */
static tare_status outfile_publish(tarei_outfile *const out, tare_error *const err) {
  if (!out->named && link_as(out->path, out->fd) == 0) {
    return TARE_OK;
  }
  if (!out->named && (errno != EEXIST || make_named(out, link_as) != 0)) {
    return fail_io(err, "name a temporary file", out->path);
  }
  return rename(out->temporary, out->path) == 0
             ? TARE_OK
             : fail_io(err, "rename a temporary file to", out->path);
}

tare_status tarei_outfile_sync(tarei_outfile *const out, tare_error *const err) {
  TAREI_TRY(tarei_outfile_check(out, err));
  return fsync(out->fd) == 0 ? TARE_OK : fail_io(err, "sync", out->path);
}

tare_status tarei_outfile_commit(tarei_outfile *const out, tare_error *const err) {
  tare_status status = tarei_outfile_sync(out, err);
  if (status == TARE_OK) {
    status = outfile_publish(out, err);
  }
  out->named = out->named && status != TARE_OK; /* a renamed file has that name no more */
  tarei_outfile_abort(out);
  return status;
}

void tarei_outfile_abort(tarei_outfile *const out) {
  if (!out->path) {
    return;
  }
  (void)close(out->fd); /* what matters was synced */
  if (out->named) {
    (void)unlink(out->temporary); /* best effort: it may already be gone */
  }
  outfile_end(out);
}

tare_status tarei_outfile_save(const char *const path, const void *const data, const size_t bytes,
                               tare_error *const err) {
  tarei_outfile out;
  TAREI_TRY(tarei_outfile_open(path, &out, err));
  tarei_outfile_write(&out, data, bytes);
  return tarei_outfile_commit(&out, err);
}

tare_status tare_write_file(const char *const path, const void *const data, const size_t bytes,
                            tare_error *const err) {
  return tarei_outfile_save(path, data, bytes, err);
}
