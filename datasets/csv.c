#include "datasets/csv.h"

#include <string.h>

#include "base/mem.h"

static tare_status csv_fail_at(const tarei_csv *const csv, const char *const what,
                               tare_error *const err) {
  return tarei_fail(err, TARE_E_INPUT, "%s line %lld: %s", csv->source->name, (long long)csv->line,
                    what);
}

void tarei_csv_init(tarei_csv *const csv, const tarei_source *const source, const char separator) {
  *csv = (tarei_csv){.source = source, .separator = separator, .line = 1, .next_line = 1};
  if (source->size >= 3 && memcmp(source->data, "\xef\xbb\xbf", 3) == 0) {
    csv->at = 3;
  }
}

void tarei_csv_fini(tarei_csv *const csv) {
  free(csv->text);
  free(csv->starts);
  *csv = (tarei_csv){0};
}

const char *tarei_csv_field(const tarei_csv *const csv, const size_t i) {
  return csv->text + csv->starts[i];
}

static bool at_end(const tarei_csv *const csv) {
  return csv->at == csv->source->size;
}

/* The byte at the cursor, or NUL at the end. */
static char csv_peek(const tarei_csv *const csv) {
  return at_end(csv) ? '\0' : (char)csv->source->data[csv->at];
}

/* Takes "\n", "\r\n" or "\r"; false when none stands here. */
static bool take_newline(tarei_csv *const csv) {
  const size_t before = csv->at;
  if (csv_peek(csv) == '\r') {
    csv->at++;
  }
  if (csv_peek(csv) == '\n') {
    csv->at++;
  }
  csv->next_line += csv->at != before;
  return csv->at != before;
}

static tare_status csv_add(tarei_csv *const csv, const char c, tare_error *const err) {
  if (!TAREI_GROW(csv->text, csv->length, csv->capacity)) {
    return tarei_fail_memory(err, csv->source->name, csv->capacity * 2);
  }
  csv->text[csv->length++] = c;
  return TARE_OK;
}

static tare_status csv_put(tarei_csv *const csv, const char c, tare_error *const err) {
  return c ? csv_add(csv, c, err) : csv_fail_at(csv, "holds a NUL byte", err);
}

static tare_status take_quoted(tarei_csv *const csv, tare_error *const err) {
  csv->at++;
  for (;;) {
    if (at_end(csv)) {
      return csv_fail_at(csv, "unterminated quote", err);
    }
    const char c = csv_peek(csv);
    csv->at++;
    if (c == '"' && csv_peek(csv) != '"') {
      break;
    }
    csv->at += c == '"';
    csv->next_line += c == '\n';
    TAREI_TRY(csv_put(csv, c, err));
  }
  const char next = csv_peek(csv);
  if (!at_end(csv) && next != csv->separator && next != '\r' && next != '\n') {
    return csv_fail_at(csv, "text after a closing quote", err);
  }
  return TARE_OK;
}

static tare_status take_plain(tarei_csv *const csv, tare_error *const err) {
  for (char c = csv_peek(csv); !at_end(csv) && c != csv->separator && c != '\r' && c != '\n';
       c = csv_peek(csv)) {
    if (c == '"') {
      return csv_fail_at(
          csv, "stray quote inside an unquoted field (quote the field, and double quotes in it)",
          err);
    }
    TAREI_TRY(csv_put(csv, c, err));
    csv->at++;
  }
  return TARE_OK;
}

static tare_status take_field(tarei_csv *const csv, tare_error *const err) {
  if (!TAREI_GROW(csv->starts, csv->n_fields, csv->fields_capacity)) {
    return tarei_fail_memory(err, csv->source->name, csv->fields_capacity * sizeof *csv->starts);
  }
  csv->starts[csv->n_fields++] = csv->length;
  TAREI_TRY(csv_peek(csv) == '"' ? take_quoted(csv, err) : take_plain(csv, err));
  return csv_add(csv, '\0', err);
}

tare_status tarei_csv_next(tarei_csv *const csv, bool *const more, tare_error *const err) {
  csv->n_fields = csv->length = 0;
  while (take_newline(csv)) {
  }
  csv->line = csv->next_line;
  *more = !at_end(csv);
  if (!*more) {
    return TARE_OK;
  }
  TAREI_TRY(take_field(csv, err));
  while (csv_peek(csv) == csv->separator) {
    csv->at++;
    TAREI_TRY(take_field(csv, err));
  }
  (void)take_newline(csv); /* the last record may end without one */
  return TARE_OK;
}
