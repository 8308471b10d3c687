/* CSV and TSV: a sample in each row, in a column of the header. */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "datasets/csv.h"
#include "datasets/extension.h"
#include "datasets/reader.h"
#include "datasets/text/text_source.h"

typedef struct text_table {
  tarei_source source;
  tarei_csv csv;
  int text, pair, label; /* columns; -1: none */
  size_t n_columns;
} text_table;

static void table_close(void *const state) {
  text_table *const table = state;
  if (table) {
    tarei_csv_fini(&table->csv);
    tarei_source_close(&table->source);
    free(table);
  }
}

/* The column of a name (NULL: none) in the header, which is the record last read. */
static tare_status table_column(const text_table *const table, const char *const name,
                                int *const out, tare_error *const err) {
  const size_t n = table->csv.n_fields;
  *out = -1;
  if (!name) {
    return TARE_OK;
  }
  const char **const names = tarei_calloc(n, sizeof *names);
  if (!names) {
    return tarei_fail_memory(err, table->source.name, n * sizeof *names);
  }
  for (size_t i = 0; i < n; i++) {
    names[i] = tarei_csv_field(&table->csv, i);
  }
  const tare_status status = tarei_pick("column", name, names, (int)n, out, err);
  free(names);
  return status == TARE_OK ? TARE_OK : tarei_fail_in(err, status, "%s", table->source.name);
}

static tare_status table_header(text_table *const table, const tarei_data_spec *const spec,
                                const bool labels, tare_error *const err) {
  bool more = false;
  TAREI_TRY(tarei_csv_next(&table->csv, &more, err));
  if (!more) {
    return tarei_fail(err, TARE_E_INPUT, "%s: has no header", table->source.name);
  }
  table->n_columns = table->csv.n_fields;
  TAREI_TRY(table_column(table, tarei_text_column(spec), &table->text, err));
  TAREI_TRY(table_column(table, spec->pair, &table->pair, err));
  return table_column(table, labels ? spec->labels : NULL, &table->label, err);
}

static tare_status table_open(const char *const path, const tarei_data_spec *const spec,
                              const bool labels, void **const state, tare_error *const err) {
  static const char *const TABS[] = {"tsv", NULL};
  *state = NULL;
  TAREI_TRY(tarei_text_check_parts(path, spec, err));
  text_table *const table = tarei_calloc(1, sizeof *table);
  *state = table;
  if (!table) {
    return tarei_fail_memory(err, path, sizeof *table);
  }
  TAREI_TRY(tarei_source_open(path, &table->source, err));
  tarei_csv_init(&table->csv, &table->source, tarei_has_extension(path, TABS) ? '\t' : ',');
  return table_header(table, spec, labels, err);
}

static tare_status table_next(void *const state, tarei_text_entry *const out, bool *const more,
                              tare_error *const err) {
  text_table *const table = state;
  *more = false;
  TAREI_TRY(tarei_csv_next(&table->csv, more, err));
  if (!*more || !out) {
    return TARE_OK;
  }
  if (table->csv.n_fields != table->n_columns) {
    return tarei_fail(err, TARE_E_INPUT, "line %lld: has %zu fields, the header has %zu",
                      (long long)table->csv.line, table->csv.n_fields, table->n_columns);
  }
  const char *const text = tarei_csv_field(&table->csv, (size_t)table->text);
  *out = (tarei_text_entry){.text = text, .length = strlen(text), .line = table->csv.line};
  if (table->pair >= 0) {
    out->pair = tarei_csv_field(&table->csv, (size_t)table->pair);
    out->pair_length = strlen(out->pair);
  }
  if (table->label >= 0) {
    out->label = tarei_strdup(tarei_csv_field(&table->csv, (size_t)table->label));
    return out->label ? TARE_OK : tarei_fail_memory(err, "a label", 0);
  }
  return TARE_OK;
}

static const char *const EXTENSIONS[] = {"csv", "tsv", NULL};

const tarei_text_source tarei_text_source_table = {.noun = "a table with texts",
                                                   .extensions = EXTENSIONS,
                                                   .open = table_open,
                                                   .next = table_next,
                                                   .close = table_close};
