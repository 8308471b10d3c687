/* Writes the native form: sorted, one line a tensor, so that tables compare and merge well. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/outfile.h"
#include "graph/table/table.h"

/* Write errors stay in the stream; the commit finds them. */
static void put_string(FILE *const file, const char *const text) {
  (void)fputc('"', file);
  for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
    if (*s == '"' || *s == '\\') {
      (void)fprintf(file, "\\%c", *s);
    } else if (*s < 0x20 || *s == 0x7f) {
      (void)fprintf(file, "\\u%04x", *s);
    } else {
      (void)fputc(*s, file);
    }
  }
  (void)fputc('"', file);
}

static void put_number(FILE *const file, const double value) {
  char text[40];
  tarei_table_print_number(value, text, sizeof text);
  (void)fputs(isnan(value) ? "null" : text, file);
}

static void put_text_member(FILE *const file, const char *const key, const char *const text) {
  (void)fprintf(file, "  \"%s\": ", key);
  put_string(file, text);
  (void)fputs(",\n", file);
}

static void put_extras(FILE *const file, const tarei_extras *const extras, bool first) {
  for (int i = 0; i < extras->n; i++) {
    (void)fputs(first ? "" : ", ", file);
    put_string(file, extras->items[i].key);
    (void)fprintf(file, ": %s", extras->items[i].json);
    first = false;
  }
}

/* Members of a cell that are one array over the columns each. */
typedef double cell_number(const tarei_cell *cell);
static double amax_of(const tarei_cell *const cell) {
  return cell->amax > 0 ? cell->amax : NAN;
}
static double min_of(const tarei_cell *const cell) {
  return cell->min;
}
static double max_of(const tarei_cell *const cell) {
  return cell->max;
}
static double energy_of(const tarei_cell *const cell) {
  return cell->energy_lost;
}

static double quiet_of(const tarei_cell *const cell) {
  return cell->quiet_rows;
}

static bool knows_quiet_rows(const tarei_table_tensor *const tensor, const int n_columns) {
  for (int i = 0; i < n_columns; i++) {
    if (!isnan(tensor->cells[i].quiet_rows)) {
      return true;
    }
  }
  return false;
}

static void put_column(FILE *const file, const char *const key, cell_number *const number,
                       const tarei_table_tensor *const tensor, const int n_columns) {
  (void)fprintf(file, ", \"%s\": [", key);
  for (int i = 0; i < n_columns; i++) {
    (void)fputs(i ? ", " : "", file);
    put_number(file, number(&tensor->cells[i]));
  }
  (void)fputc(']', file);
}

static void put_tensor(FILE *const file, const tarei_table_tensor *const tensor,
                       const int n_columns) {
  (void)fputs("{\"name\": ", file);
  put_string(file, tensor->name);
  put_column(file, "amax", amax_of, tensor, n_columns);
  put_column(file, "min", min_of, tensor, n_columns);
  put_column(file, "max", max_of, tensor, n_columns);
  (void)fputs(", \"count\": [", file);
  for (int i = 0; i < n_columns; i++) {
    (void)fprintf(file, "%s%" PRId64, i ? ", " : "", tensor->cells[i].count);
  }
  (void)fputc(']', file);
  put_column(file, "energy_lost", energy_of, tensor, n_columns);
  if (knows_quiet_rows(tensor, n_columns)) {
    put_column(file, "quiet_rows", quiet_of, tensor, n_columns);
  }
  if (tensor->same_as) {
    (void)fputs(", \"same_as\": ", file);
    put_string(file, tensor->same_as);
  }
  put_extras(file, &tensor->extras, false);
  (void)fputc('}', file);
}

static void put_profile(FILE *const file, const tarei_table_profile *const profile) {
  (void)fputs("{\"spec\": ", file);
  put_string(file, profile->spec);
  (void)fprintf(file, ", \"samples\": %" PRId64, profile->samples);
  put_extras(file, &profile->extras, false);
  (void)fputc('}', file);
}

static void put_header(FILE *const file, const tare_table *const table) {
  (void)fprintf(file,
                "{\n  \"format\": \"tare.calib\",\n  \"version\": {\"major\": 1, \"minor\": %d",
                table->minor);
  put_extras(file, &table->version_extras, false);
  (void)fputs("},\n", file);
  put_text_member(file, "method", table->method);
  (void)fputs("  \"parameters\": {", file);
  put_extras(file, &table->parameters, true);
  (void)fputs("},\n  \"model\": {\"name\": ", file);
  put_string(file, table->model_name);
  (void)fprintf(file, ", \"hash\": \"%016" PRIx64 "\"", table->model_hash);
  put_extras(file, &table->model_extras, false);
  (void)fputs("},\n", file);
  put_text_member(file, "fit", table->fit);
  put_text_member(file, "pad_stats", table->pad_stats);
  (void)fprintf(file, "  \"per_profile\": %s,\n", table->per_profile ? "true" : "false");
}

static void put_lists(FILE *const file, const tare_table *const table) {
  (void)fputs("  \"profiles\": [", file);
  for (int i = 0; i < table->n_profiles; i++) {
    (void)fputs(i ? ",\n    " : "\n    ", file);
    put_profile(file, &table->profiles[i]);
  }
  (void)fputs("],\n  \"warnings\": [", file);
  for (int i = 0; i < table->n_warnings; i++) {
    (void)fputs(i ? ",\n    " : "\n    ", file);
    put_string(file, table->warnings[i]);
  }
  (void)fputs("],\n", file);
  for (int i = 0; i < table->extras.n; i++) {
    (void)fputs("  ", file);
    put_string(file, table->extras.items[i].key);
    (void)fprintf(file, ": %s,\n", table->extras.items[i].json);
  }
  (void)fputs("  \"tensors\": [", file);
  for (int i = 0; i < table->n_tensors; i++) {
    (void)fputs(i ? ",\n    " : "\n    ", file);
    put_tensor(file, &table->tensors[i], table->n_columns);
  }
  (void)fputs("]\n}\n", file);
}

tare_status tare_table_write_json(const tare_table *const table, const char *const path,
                                  tare_error *const err) {
  tarei_outfile out = {0};
  TARE_TRY(tarei_outfile_open(path, &out, err));
  put_header(out.file, table);
  put_lists(out.file, table);
  return tarei_outfile_commit(&out, err);
}
