/* The lines of a text file, which may be packed with gzip, one at a time. */
#ifndef TAREI_DATASETS_LISTS_LINES_H
#define TAREI_DATASETS_LISTS_LINES_H

#include <stdint.h>
#include <zlib.h>

#include "base/error.h"

enum { TAREI_LINE_BYTES = 1 << 24 }; /* of the longest line */

typedef struct tarei_list_lines {
  const char *path; /* of the caller */
  gzFile file;
  int64_t line; /* last read, from 1 */
  char *text;   /* of it, which the caller may change; owned */
  size_t length, capacity;
} tarei_list_lines;

/* TARE_E_INPUT, TARE_E_MEMORY. End `lines` with tarei_list_lines_close either way. */
tare_status tarei_list_lines_open(tarei_list_lines *lines, const char *path, tare_error *err);
void tarei_list_lines_close(tarei_list_lines *lines);

/* Reads the next line that is not empty, without its end: LF or CRLF. *text is NULL at the end.
 * TARE_E_INPUT: a read error, a damaged or truncated file, a NUL byte, a line that is too long. */
tare_status tarei_list_lines_next(tarei_list_lines *lines, char **text, tare_error *err);

/* Cuts the first word off *rest, which then begins with the next one; "" if there are none. Words
 * are separated by spaces and tabs. */
char *tarei_take_word(char **rest);

#endif
