/* Lines of text files of tables. */
#ifndef TAREI_GRAPH_TABLE_FORMATS_TEXT_LINES_H
#define TAREI_GRAPH_TABLE_FORMATS_TEXT_LINES_H

#include "base/source.h"

/* A part of a file, not NUL-terminated. */
typedef struct tarei_span {
  const char *at;
  size_t n;
} tarei_span;

typedef struct tarei_lines {
  const char *at, *end;
  int line; /* number of the line taken last */
} tarei_lines;

tarei_lines tarei_lines_of(const void *data, size_t size);

/* Takes a line without its end (LF or CR LF); false at the end of the file. */
bool tarei_lines_next(tarei_lines *lines, tarei_span *line);

tarei_span tarei_span_trim(tarei_span text);

/* A copy, NUL-terminated, which the caller frees. TARE_E_MEMORY. */
tare_status tarei_span_copy(tarei_span text, char **out, tare_error *err);

/* TARE_E_INPUT "FILE line N: 'text' RULE" */
tare_status tarei_line_fail(const tarei_source *source, int line, tarei_span text, const char *rule,
                            tare_error *err);

#endif
