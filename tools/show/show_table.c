#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/report.h"
#include "tools/show/show.h"
#include "tools/table_out.h"

static void show_table_add_row(report *const r, const tare_table_entry *const e,
                               const int profile) {
  report_cell(r, "%s", e->tensor);
  report_cell(r, "%d", profile);
  report_cell(r, e->amax > 0 ? "%.6g" : "dead", e->amax);
  report_cell(r, "%.6g", e->amax / 127);
  report_cell(r, "%.6g", e->min);
  report_cell(r, "%.6g", e->max);
  report_number(r, 4, 100 * e->energy_lost);
  report_loss(r, e->static_loss);
  report_loss(r, e->row_loss);
}

static void show_table_print_text(const tare_table *const table) {
  table_print(table);
  report *const r = report_new("tensor~,prof>,amax>,scale>,min!,max!,lost %>,static dB>,rows dB>");
  for (int t = 0; t < tare_table_n_tensors(table); t++) {
    for (int p = 0; p < tare_table_n_profiles(table); p++) {
      const tare_table_entry entry = tare_table_get(table, t, p);
      show_table_add_row(r, &entry, p);
    }
  }
  report_print(r, stdout);
}

static void show_table_fill_tensor(cJSON *const list, const tare_table *const table,
                                   const int tensor) {
  cJSON *const item = json_add(list, NULL, json_object());
  json_text(item, "name", tare_table_get(table, tensor, 0).tensor);
  cJSON *const columns = json_add(item, "profiles", json_array());
  for (int p = 0; p < tare_table_n_profiles(table); p++) {
    const tare_table_entry e = tare_table_get(table, tensor, p);
    cJSON *const column = json_add(columns, NULL, json_object());
    json_real(column, "amax", e.amax);
    json_real(column, "min", e.min);
    json_real(column, "max", e.max);
    json_int(column, "count", e.count);
    json_real(column, "energy_lost", e.energy_lost);
    json_real(column, "static_loss", e.static_loss);
    json_real(column, "row_loss", e.row_loss);
    json_real(column, "rms", e.rms);
  }
}

static tare_status show_table_print(const char *const path, const show_options *const options,
                                    cJSON *const object, tare_error *const err) {
  (void)options;
  tare_table *table = NULL;
  CLI_TRY(tare_table_read(path, &table, err));
  if (object) {
    json_hash(object, "model_hash", tare_table_model_hash(table));
    table_json(object, table);
    cJSON *const entries = json_add(object, "entries", json_array());
    for (int t = 0; t < tare_table_n_tensors(table); t++) {
      show_table_fill_tensor(entries, table, t);
    }
  } else {
    show_title(&show_table, path);
    show_table_print_text(table);
  }
  tare_table_free(&table);
  return TARE_OK;
}

static const char *show_table_noun(const char *const path) {
  const tare_table_format *const format = tare_table_format_at(tare_table_format_of(path));
  return format ? format->noun : NULL;
}

/* Manifests of JSON Lines begin like tables. */
static bool show_table_probe(const char *const path) {
  const tare_data_kind *const kind = tare_data_kind_of(path);
  return tare_table_is_table_file(path) && !(kind && kind->json);
}

const show_kind show_table = {
    .name = "table", .probe = show_table_probe, .noun = show_table_noun, .show = show_table_print};
