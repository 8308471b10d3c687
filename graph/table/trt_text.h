/* Lines of TensorRT's calibration cache, as they are read. */
#ifndef TAREI_GRAPH_TABLE_TRT_TEXT_H
#define TAREI_GRAPH_TABLE_TRT_TEXT_H

#include "base/source.h"

typedef struct tarei_trt_text {
  const char *at;
  size_t n;
} tarei_trt_text;

typedef struct tarei_trt_cursor {
  const char *at, *end;
  int line; /* number of the line taken last */
} tarei_trt_cursor;

tarei_trt_cursor tarei_trt_lines(const tarei_source *source);

/* Takes a line without its end (LF or CR LF); false at the end of the file. */
bool tarei_trt_next(tarei_trt_cursor *c, tarei_trt_text *line);

tarei_trt_text tarei_trt_trim(tarei_trt_text text);

/* Splits a line at its last colon; false if it has none behind a name. */
bool tarei_trt_split(tarei_trt_text line, tarei_trt_text *name, tarei_trt_text *value);

/* The bits of a scale; false if these are not eight hexadecimal digits. */
bool tarei_trt_hex(tarei_trt_text value, uint32_t *bits);

/* Checks the header, "TRT-<version>-<algorithm>", and returns the number of its algorithm. */
tare_status tarei_trt_header(const tarei_source *source, tarei_trt_text line, int *algorithm,
                             tare_error *err);

extern const char *const tarei_trt_algorithms[];
int tarei_trt_n_algorithms(void);

/* TARE_E_INPUT if most scales are only plausible with their bytes swapped, which is how some other
 * writers store them. */
tare_status tarei_trt_check_order(const tarei_source *source, tare_error *err);

/* TARE_E_INPUT "FILE line N: 'text' RULE" */
tare_status tarei_trt_fail(const tarei_source *source, int line, tarei_trt_text text,
                           const char *rule, tare_error *err);

#endif
