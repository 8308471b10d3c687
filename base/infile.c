#include "base/infile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *infile_kind_of(const mode_t mode) {
  return S_ISDIR(mode)    ? "a folder"
         : S_ISFIFO(mode) ? "a pipe"
         : S_ISSOCK(mode) ? "a socket"
                          : "a device";
}

tare_status tarei_infile_check_fd(const int fd, const char *const name, int64_t *const size,
                                  tare_error *const err) {
  struct stat st;
  if (fstat(fd, &st) != 0) {
    return tarei_fail(err, TARE_E_INPUT, "%s: cannot stat: %s", name, strerror(errno));
  }
  if (!S_ISREG(st.st_mode)) {
    return tarei_fail(err, TARE_E_INPUT, "%s: is %s; expected a regular file", name,
                      infile_kind_of(st.st_mode));
  }
  if (size) {
    *size = st.st_size;
  }
  return TARE_OK;
}

tare_status tarei_infile_open(const char *const path, int *const fd, int64_t *const size,
                              tare_error *const err) {
  /* Without O_NONBLOCK, opening a FIFO waits for somebody who writes to it. */
  *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (*fd < 0) {
    return errno == ENXIO ? tarei_fail(err, TARE_E_INPUT,
                                       "%s: is a socket or a device; expected a regular file", path)
                          : tarei_fail(err, tarei_input_status(errno), "%s: cannot open: %s", path,
                                       strerror(errno));
  }
  const tare_status status = tarei_infile_check_fd(*fd, path, size, err);
  if (status != TARE_OK) {
    (void)close(*fd); /* nothing was read */
    *fd = -1;
  }
  return status;
}

tare_status tarei_infile_check(const char *const path, tare_error *const err) {
  int fd;
  TAREI_TRY(tarei_infile_open(path, &fd, NULL, err));
  (void)close(fd); /* nothing was read */
  return TARE_OK;
}

size_t tarei_infile_head(const char *const path, void *const bytes, const size_t n) {
  int fd;
  if (tarei_infile_open(path, &fd, NULL, NULL) != TARE_OK) {
    return 0;
  }
  size_t got = 0;
  for (ssize_t more = 1; more > 0 && got<n; got += more> 0 ? (size_t)more : 0) {
    more = read(fd, (char *)bytes + got, n - got);
  }
  (void)close(fd); /* only read */
  return got;
}
