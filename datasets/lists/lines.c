#include "datasets/lists/lines.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/infile.h"
#include "base/mem.h"

tare_status tarei_list_lines_open(tarei_list_lines *const lines, const char *const path,
                                  tare_error *const err) {
  *lines = (tarei_list_lines){.path = path};
  int fd;
  TAREI_TRY(tarei_infile_open(path, &fd, NULL, err));
  lines->file = gzdopen(fd, "rb");
  if (!lines->file) {
    (void)close(fd); /* only read */
    return tarei_fail_memory(err, path, 0);
  }
  return TARE_OK;
}

void tarei_list_lines_close(tarei_list_lines *const lines) {
  if (lines->file) {
    (void)gzclose_r(lines->file); /* only read; errors were seen before */
  }
  free(lines->text);
  *lines = (tarei_list_lines){0};
}

static tare_status lines_check(const tarei_list_lines *const lines, tare_error *const err) {
  int code = Z_OK;
  const char *const text = gzerror(lines->file, &code);
  if (code == Z_OK || code == Z_STREAM_END) {
    return TARE_OK;
  }
  return code == Z_MEM_ERROR ? tarei_fail_memory(err, lines->path, 0)
         : code == Z_ERRNO
             ? tarei_fail(err, TARE_E_INPUT, "%s: cannot read: %s", lines->path, strerror(errno))
             : tarei_fail(err, TARE_E_INPUT, "%s: damaged or truncated: %s", lines->path, text);
}

static tare_status lines_put(tarei_list_lines *const lines, const int c, tare_error *const err) {
  if (c == '\0') {
    return tarei_fail(err, TARE_E_INPUT, "%s line %lld: holds a NUL byte", lines->path,
                      (long long)lines->line);
  }
  if (lines->length >= TAREI_LINE_BYTES) {
    return tarei_fail(err, TARE_E_INPUT, "%s line %lld: is longer than %d bytes", lines->path,
                      (long long)lines->line, TAREI_LINE_BYTES);
  }
  if (!TAREI_GROW(lines->text, lines->length + 1, lines->capacity)) {
    return tarei_fail_memory(err, lines->path, lines->capacity * 2);
  }
  lines->text[lines->length++] = (char)c;
  lines->text[lines->length] = '\0';
  return TARE_OK;
}

/* Reads up to the end of the line. *ended is set at the end of the file. */
static tare_status take_line(tarei_list_lines *const lines, bool *const ended,
                             tare_error *const err) {
  lines->length = 0;
  lines->line++;
  int c = gzgetc(lines->file);
  for (; c >= 0 && c != '\n'; c = gzgetc(lines->file)) {
    TAREI_TRY(lines_put(lines, c, err));
  }
  if (lines->length && lines->text[lines->length - 1] == '\r') {
    lines->text[--lines->length] = '\0';
  }
  *ended = c < 0;
  return *ended ? lines_check(lines, err) : TARE_OK;
}

tare_status tarei_list_lines_next(tarei_list_lines *const lines, char **const text,
                                  tare_error *const err) {
  bool ended = false;
  do {
    TAREI_TRY(take_line(lines, &ended, err));
  } while (!ended && lines->length == 0);
  *text = lines->length ? lines->text : NULL;
  return TARE_OK;
}

char *tarei_take_word(char **const rest) {
  static const char SPACES[] = " \t";
  char *const word = *rest + strspn(*rest, SPACES);
  char *end = word + strcspn(word, SPACES);
  if (*end) {
    *end++ = '\0';
  }
  *rest = end + strspn(end, SPACES);
  return word;
}
