#include "tools/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tools/cli.h"

enum { PIECE = 4096 };

static FILE *guarded; /* what writes to the terminal in place of the stdout of libc; NULL: none */
static char half;     /* the first byte of a character whose rest is not written yet; 0: none */

void streams_hold(void) {
  static const int MODES[] = {O_WRONLY, O_RDONLY, O_RDONLY}; /* the wrong way round, to fail */
  for (int fd = 0; fd < 3; fd++) {
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
      (void)open("/dev/null", MODES[fd]); /* the lowest free number, which is fd */
    }
  }
}

/* Writes all, or gives the reason. */
static bool streams_write_all(const char *next, size_t left) {
  while (left > 0) {
    const ssize_t n = write(STDOUT_FILENO, next, left);
    if (n < 0 && errno != EINTR) {
      return false;
    }
    next += n > 0 ? n : 0;
    left -= n > 0 ? (size_t)n : 0;
  }
  return true;
}

static bool streams_write_piece(const char *const data, const size_t bytes) {
  char text[1 + PIECE + 1], *end = text;
  if (half) {
    *end++ = half;
  }
  memcpy(end, data, bytes);
  end += bytes;
  half = end[-1] == '\xc2' ? end[-1] : '\0'; /* a control may follow it */
  end -= half ? 1 : 0;
  *end = '\0';
  cli_make_printable(text);
  return streams_write_all(text, (size_t)(end - text));
}

/* All of it, as libc takes less for an error. */
static ssize_t streams_write(void *const cookie, const char *const data, const size_t bytes) {
  (void)cookie;
  for (size_t at = 0; at < bytes; at += PIECE) {
    if (!streams_write_piece(data + at, bytes - at < PIECE ? bytes - at : PIECE)) {
      return 0;
    }
  }
  return (ssize_t)bytes;
}

void streams_guard(void) {
  if (!isatty(STDOUT_FILENO)) {
    return;
  }
  guarded = fopencookie(NULL, "w", (cookie_io_functions_t){.write = streams_write});
  if (!guarded || setvbuf(guarded, NULL, _IOLBF, BUFSIZ) != 0) {
    cli_end_of_memory();
  }
  stdout = guarded;
}

int streams_number(FILE *const stream) {
  return stream == guarded ? STDOUT_FILENO : fileno(stream);
}
