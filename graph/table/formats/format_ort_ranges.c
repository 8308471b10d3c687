/* The JSON that older ONNX Runtime tools write: {"tensor": [low, high], ...}. */
#include <string.h>

#include "graph/table/formats/format.h"
#include "graph/table/formats/json_source.h"
#include "graph/table/formats/ort_range.h"

/* An object whose first member is an array. */
static bool format_ort_ranges_recognizes(const uint8_t *const data, const size_t n) {
  static const char SPACE[] = " \t\r\n";
  size_t at = tarei_json_start(data, n) + 1;
  for (; at < n && data[at] && strchr(SPACE, data[at]); at++) {
  }
  if (at >= n || data[at] != '"') {
    return false;
  }
  for (at++; at < n && data[at] != '"'; at++) {
    at += data[at] == '\\';
  }
  for (at++; at < n && data[at] && strchr(": \t\r\n", data[at]); at++) {
  }
  return at < n && data[at] == '[';
}

static tare_status ort_ranges_tensor(const tarei_source *const source, const cJSON *const item,
                                     tare_table *const table, tare_error *const err) {
  const cJSON *const low = cJSON_GetArrayItem(item, 0), *const high = cJSON_GetArrayItem(item, 1);
  if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != 2 || !cJSON_IsNumber(low) ||
      !cJSON_IsNumber(high)) {
    return tarei_fail(err, TARE_E_INPUT,
                      "%s: tensor '%.120s': expected an array of two numbers, low and high",
                      source->name, item->string);
  }
  const tarei_ort_range range = {low->valuedouble, high->valuedouble};
  return tarei_ort_add(source->name, item->string, range, table, err);
}

static tare_status ort_ranges_root(const tarei_source *const source, const cJSON *const root,
                                   tare_table *const table, tare_error *const err) {
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, root) {
    TAREI_TRY(ort_ranges_tensor(source, item, table, err));
  }
  return tarei_table_finish(table, source->name, err);
}

static tare_status format_ort_ranges_read(const tarei_source *const source, tare_table **const out,
                                          tare_error *const err) {
  cJSON *root = NULL;
  TAREI_TRY(tarei_table_new("", 1, out, err));
  TAREI_TRY(tarei_json_parse(source, &root, err));
  const tare_status status = ort_ranges_root(source, root, *out, err);
  cJSON_Delete(root);
  return status;
}

static tare_status ort_ranges_put(tarei_str *const json, const tarei_table_tensor *const tensor,
                                  const int column, tare_error *const err) {
  if (!tarei_python_string(json, tensor->name)) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "the name of tensor %d is not UTF-8, which ONNX Runtime's table needs",
                      tensor->place);
  }
  const tarei_ort_range range = tarei_ort_range_of(&tensor->cells[column]);
  tarei_str_add(json, ": [");
  tarei_python_number(json, range.low);
  tarei_str_add(json, ", ");
  tarei_python_number(json, range.high);
  tarei_str_add(json, "]");
  return TARE_OK;
}

static tare_status format_ort_ranges_write(const tare_table *const table,
                                           const tarei_table_job *const job,
                                           tare_error *const err) {
  tarei_str json = {0};
  tarei_str_add(&json, "{");
  const tare_status status =
      tarei_table_put_all(table, job->column, ", ", ort_ranges_put, &json, err);
  tarei_str_add(&json, "}");
  return tarei_table_save_text(status, &json, job->path, err);
}

static bool ort_ranges_hold(const tare_table *const table) {
  for (int i = 0; i < table->n_tensors; i++) {
    for (int c = 0; c < table->n_columns; c++) {
      const tarei_cell *const cell = &table->tensors[i].cells[c];
      const tarei_ort_range range = tarei_ort_range_of(cell);
      if (cell->min < range.low || cell->min > range.low || cell->max < range.high ||
          cell->max > range.high) { /* NAN is neither */
        return false;
      }
    }
  }
  return true;
}

static bool format_ort_ranges_holds(const tare_table *const table, const tarei_table_part part,
                                    const char *const *const values) {
  (void)values;
  return part == TAREI_TABLE_DEAD || (part == TAREI_TABLE_RANGES && ort_ranges_hold(table));
}

const tarei_table_format tarei_table_format_ort_ranges = {
    .about = {.name = "ort-ranges",
              .noun = "an ONNX Runtime table of ranges",
              .extension = ".ranges.json",
              .engine = "ONNX Runtime"},
    .mark = "a JSON object of arrays",
    .recognizes = format_ort_ranges_recognizes,
    .read = format_ort_ranges_read,
    .holds = format_ort_ranges_holds,
    .write = format_ort_ranges_write};
