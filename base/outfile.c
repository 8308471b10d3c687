#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/unfinished.h"

static tare_status fail_io(tare_error *const err, const char *const what, const char *const path) {
  return tarei_fail(err, TARE_E_IO, "%s: cannot %s: %s", path, what, strerror(errno));
}

static void end(tarei_outfile *const out) {
  tarei_unfinished_remove(out->mark);
  free(out->path);
  free(out->temporary);
  *out = (tarei_outfile){0};
}

/* The place that a rename goes to: the end of a link, so that the link stays; never a device or
 * pipe such as /dev/null, which a plain file would replace. */
static tare_status find_place(const char *const path, char **const place, tare_error *const err) {
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
  return tarei_fail(err, TARE_E_IO, "%s: cannot write there: it is a %s", path,
                    S_ISDIR(there.st_mode) ? "folder" : "device or pipe");
}

static tare_status open_fd(const char *const path, tarei_outfile *const out, int *const fd,
                           tare_error *const err) {
  *out = (tarei_outfile){0};
  TARE_TRY(find_place(path, &out->path, err));
  tarei_str name = {0};
  tarei_str_add(&name, "%s.XXXXXX", out->path);
  out->temporary = name.text;
  if (name.failed) {
    end(out);
    return tarei_fail_memory(err, path, strlen(path));
  }
  *fd = mkstemp(out->temporary);
  if (*fd < 0) {
    const tare_status status = fail_io(err, "create", path);
    end(out);
    return status;
  }
  out->mark = tarei_unfinished_add(out->temporary);
  const mode_t mask = umask(0);
  (void)umask(mask);
  (void)fchmod(*fd, 0666 & ~mask); /* mkstemp gives 0600; a failure leaves that, which is safe */
  return TARE_OK;
}

tare_status tarei_outfile_open(const char *const path, tarei_outfile *const out,
                               tare_error *const err) {
  int fd = -1;
  TARE_TRY(open_fd(path, out, &fd, err));
  out->file = fdopen(fd, "wb");
  if (!out->file) {
    const tare_status status = fail_io(err, "open", path);
    (void)close(fd); /* nothing was written */
    tarei_outfile_abort(out);
    return status;
  }
  return TARE_OK;
}

tare_status tarei_outfile_open_path_only(const char *const path, tarei_outfile *const out,
                                         tare_error *const err) {
  int fd = -1;
  TARE_TRY(open_fd(path, out, &fd, err));
  (void)close(fd); /* nothing was written */
  return TARE_OK;
}

static tare_status sync_path(const char *const path, tare_error *const err) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return fail_io(err, "open", path);
  }
  const int failed = fsync(fd);
  const tare_status status = failed ? fail_io(err, "sync", path) : TARE_OK;
  (void)close(fd); /* opened for reading only */
  return status;
}

tare_status tarei_outfile_commit(tarei_outfile *const out, tare_error *const err) {
  tare_status status = TARE_OK;
  if (out->file) {
    const int bad = ferror(out->file) || fflush(out->file);
    if (bad) {
      status = fail_io(err, "write", out->path);
    }
    const int closed = fclose(out->file);
    out->file = NULL;
    if (closed && status == TARE_OK) {
      status = fail_io(err, "write", out->path);
    }
  }
  if (status == TARE_OK) {
    status = sync_path(out->temporary, err);
  }
  if (status == TARE_OK && rename(out->temporary, out->path) != 0) {
    status = fail_io(err, "rename a temporary file to", out->path);
  }
  if (status == TARE_OK) {
    end(out);
  } else {
    tarei_outfile_abort(out);
  }
  return status;
}

void tarei_outfile_abort(tarei_outfile *const out) {
  if (out->file) {
    (void)fclose(out->file); /* the file goes away */
  }
  if (out->temporary) {
    (void)unlink(out->temporary); /* best effort: it may already be gone */
  }
  out->file = NULL;
  end(out);
}
