/* Reads the records of a CSV or TSV file: separated by commas or tabs, with double quotes (doubled
 * inside), LF or CRLF, and an optional BOM. */
#ifndef TAREI_DATASETS_CSV_H
#define TAREI_DATASETS_CSV_H

#include <stdbool.h>

#include "base/source.h"

typedef struct tarei_csv {
  const tarei_source *source; /* of the caller; must outlive the reader */
  char separator;
  size_t at;
  int64_t line; /* of the record last read, from 1 */
  int64_t next_line;
  char *text; /* the fields of the record, each NUL-terminated; owned */
  size_t capacity, length;
  size_t *starts; /* of field i in text; owned */
  size_t n_fields, fields_capacity;
} tarei_csv;

void tarei_csv_init(tarei_csv *csv, const tarei_source *source, char separator);
void tarei_csv_fini(tarei_csv *csv);

/* Reads the next record; empty lines are skipped. *more is false at the end. TARE_E_INPUT names
 * file and line: unclosed quote, text after a closing quote, zero byte. */
tare_status tarei_csv_next(tarei_csv *csv, bool *more, tare_error *err);

/* Field i of the record last read, valid until the next one. */
const char *tarei_csv_field(const tarei_csv *csv, size_t i);

#endif
