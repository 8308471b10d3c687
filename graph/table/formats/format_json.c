/* The native form. It is written sorted, one line a tensor, so that tables compare and merge well;
 * format_json_read.c reads it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/outfile.h"
#include "base/str.h"
#include "graph/table/formats/format_json.h"
#include "graph/table/formats/json_rounding.h"
#include "graph/table/formats/json_numbers.h"
#include "graph/table/formats/json_smoothing.h"
#include "graph/table/formats/json_source.h"

static void format_json_put_number(tarei_str *const json, const double value) {
  char text[40];
  tarei_table_print_number(value, text, sizeof text);
  tarei_str_add(json, "%s", isnan(value) ? "null" : text);
}

static void put_text_member(tarei_str *const json, const char *const key, const char *const text) {
  tarei_str_add(json, "  \"%s\": ", key);
  tarei_json_put_text(json, text);
  tarei_str_add(json, ",\n");
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

static double static_loss_of(const tarei_cell *const cell) {
  return cell->static_loss;
}
static double row_loss_of(const tarei_cell *const cell) {
  return cell->row_loss;
}

static double rms_of(const tarei_cell *const cell) {
  return cell->rms;
}

static double rows_of(const tarei_cell *const cell) {
  return cell->rows;
}

static bool knows_number(cell_number *const number, const tarei_table_tensor *const tensor,
                         const int n_columns) {
  for (int i = 0; i < n_columns; i++) {
    if (!isnan(number(&tensor->cells[i]))) {
      return true;
    }
  }
  return false;
}

static void put_column(tarei_str *const json, const char *const key, cell_number *const number,
                       const tarei_table_tensor *const tensor, const int n_columns) {
  tarei_str_add(json, ", \"%s\": [", key);
  for (int i = 0; i < n_columns; i++) {
    tarei_str_add(json, "%s", i ? ", " : "");
    format_json_put_number(json, number(&tensor->cells[i]));
  }
  tarei_str_add(json, "]");
}

static void put_known_column(tarei_str *const json, const char *const key,
                             cell_number *const number, const tarei_table_tensor *const tensor,
                             const int n_columns) {
  if (knows_number(number, tensor, n_columns)) {
    put_column(json, key, number, tensor, n_columns);
  }
}

static void put_tensor(tarei_str *const json, const tarei_table_tensor *const tensor,
                       const int n_columns) {
  tarei_str_add(json, "{\"name\": ");
  tarei_json_put_text(json, tensor->name);
  put_column(json, "amax", amax_of, tensor, n_columns);
  put_column(json, "min", min_of, tensor, n_columns);
  put_column(json, "max", max_of, tensor, n_columns);
  tarei_str_add(json, ", \"count\": [");
  for (int i = 0; i < n_columns; i++) {
    tarei_str_add(json, "%s%" PRId64, i ? ", " : "", tensor->cells[i].count);
  }
  tarei_str_add(json, "]");
  put_column(json, "energy_lost", energy_of, tensor, n_columns);
  put_known_column(json, "static_loss", static_loss_of, tensor, n_columns);
  put_known_column(json, "row_loss", row_loss_of, tensor, n_columns);
  put_known_column(json, "rms", rms_of, tensor, n_columns);
  put_known_column(json, "rows_per_sample", rows_of, tensor, n_columns);
  if (tensor->same_as) {
    tarei_str_add(json, ", \"same_as\": ");
    tarei_json_put_text(json, tensor->same_as);
  }
  tarei_json_put_extras(json, &tensor->extras, false);
  tarei_str_add(json, "}");
}

static void put_profile(tarei_str *const json, const tarei_table_profile *const profile) {
  tarei_str_add(json, "{\"spec\": ");
  tarei_json_put_text(json, profile->spec);
  tarei_str_add(json, ", \"samples\": %" PRId64, profile->samples);
  tarei_json_put_extras(json, &profile->extras, false);
  tarei_str_add(json, "}");
}

static void format_json_put_header(tarei_str *const json, const tare_table *const table) {
  tarei_str_add(json,
                "{\n  \"format\": \"tare.calib\",\n  \"version\": {\"major\": 1, \"minor\": %d",
                tarei_json_minor(table));
  tarei_json_put_extras(json, &table->version_extras, false);
  tarei_str_add(json, "},\n");
  put_text_member(json, "method", table->method);
  tarei_str_add(json, "  \"parameters\": {");
  tarei_json_put_extras(json, &table->parameters, true);
  tarei_str_add(json, "},\n  \"model\": {\"name\": ");
  tarei_json_put_text(json, table->model_name);
  tarei_str_add(json, ", \"hash\": \"%016" PRIx64 "\"", table->model_hash);
  tarei_json_put_extras(json, &table->model_extras, false);
  tarei_str_add(json, "},\n");
  put_text_member(json, "fit", table->fit);
  put_text_member(json, "pad_stats", table->pad_stats);
  if (*table->gain_range) {
    put_text_member(json, "gain_range", table->gain_range);
  }
  if (*table->layer_precisions) {
    put_text_member(json, "layer_precisions", table->layer_precisions);
  }
  tarei_str_add(json, "  \"per_profile\": %s,\n", table->per_profile ? "true" : "false");
}

static void format_json_put_lists(tarei_str *const json, const tare_table *const table) {
  tarei_str_add(json, "  \"profiles\": [");
  for (int i = 0; i < table->n_profiles; i++) {
    tarei_str_add(json, "%s", i ? ",\n    " : "\n    ");
    put_profile(json, &table->profiles[i]);
  }
  tarei_str_add(json, "],\n  \"warnings\": [");
  for (int i = 0; i < table->n_warnings; i++) {
    tarei_str_add(json, "%s", i ? ",\n    " : "\n    ");
    tarei_json_put_text(json, table->warnings[i]);
  }
  tarei_str_add(json, "],\n");
  for (int i = 0; i < table->extras.n; i++) {
    tarei_str_add(json, "  ");
    tarei_json_put_text(json, table->extras.items[i].key);
    tarei_str_add(json, ": %s,\n", table->extras.items[i].json);
  }
  tarei_json_put_roundings(json, table);
  tarei_json_put_smoothings(json, table);
  tarei_json_put_numbers(json, table);
  tarei_str_add(json, "  \"tensors\": [");
  for (int i = 0; i < table->n_tensors; i++) {
    tarei_str_add(json, "%s", i ? ",\n    " : "\n    ");
    put_tensor(json, &table->tensors[i], table->n_columns);
  }
  tarei_str_add(json, "]\n}\n");
}

static tare_status format_json_write(const tare_table *const table,
                                     const tarei_table_job *const job, tare_error *const err) {
  tarei_str json = {0};
  format_json_put_header(&json, table);
  format_json_put_lists(&json, table);
  const tare_status status = json.failed
                                 ? tarei_fail_memory(err, job->path, json.length)
                                 : tarei_outfile_save(job->path, json.text, json.length, err);
  tarei_str_free(&json);
  return status;
}

tare_status tare_table_write_json(const tare_table *const table, const char *const path,
                                  tare_error *const err) {
  return tarei_table_write_as(table, &tarei_table_format_json, NULL, path, err);
}

static bool format_json_recognizes(const uint8_t *const data, const size_t n) {
  return tarei_json_start(data, n) < n;
}

const tarei_table_format tarei_table_format_json = {
    .about = {.name = "json", .noun = "a native table", .extension = ".json", .per_profile = true},
    .mark = "a JSON object",
    .recognizes = format_json_recognizes,
    .read = tarei_format_json_read,
    .write = format_json_write};
