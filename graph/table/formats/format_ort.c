/*
 * ONNX Runtime's calibration table, JSON that Python writes: for each tensor the range that is
 * quantized. What a tensor has beyond one float32 range (histograms, other forms of the numbers)
 * is kept as its member "onnxruntime", what the file has beyond tensors as that of the table.
 */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "graph/table/formats/format.h"
#include "graph/table/formats/json_source.h"
#include "graph/table/formats/ort_range.h"

static const char KEPT[] = "onnxruntime";
static const char METHOD_PREFIX[] = "CalibrationMethod.";
static const char *const ORT_METHODS[] = {"MinMax", "Entropy", "Percentile", "Distribution"};
enum { N_ORT_METHODS = sizeof ORT_METHODS / sizeof *ORT_METHODS };

static bool format_ort_recognizes(const uint8_t *const data, const size_t n) {
  static const char *const parts[] = {"{", "\"CLS\"", ":", "\"TensorsData\""};
  size_t at = tarei_json_start(data, n);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    while (at < n && data[at] && strchr(" \t\r\n", data[at])) {
      at++;
    }
    const size_t m = strlen(parts[i]);
    if (n - at < m || memcmp(data + at, parts[i], m) != 0) {
      return false;
    }
    at += m;
  }
  return true;
}

/* A range as this format holds it. These are floats, not rounded doubles: GCC 12 leaves out the
 * rounding where it vectorizes two conversions there and back. */
typedef struct ort_range {
  float low, high;
} ort_range;

static ort_range ort_range_of(const tarei_cell *const cell) {
  const tarei_ort_range range = tarei_ort_range_of(cell);
  return (ort_range){(float)range.low, (float)range.high};
}

static void ort_put_bound(tarei_str *const json, const char *const key, const float value) {
  tarei_str_add(json, "\"%s\": {\"data\": [", key);
  tarei_python_number(json, (double)value);
  tarei_str_add(json, "], \"dtype\": \"float32\", \"CLS\": \"numpy.array\"}, ");
}

/* A tensor in the form that ONNX Runtime's MinMax calibrator gives it. */
static void ort_put_range(tarei_str *const json, const ort_range r) {
  tarei_str_add(json, "{");
  ort_put_bound(json, "lowest", r.low);
  ort_put_bound(json, "highest", r.high);
  tarei_str_add(json, "\"CLS\": \"TensorData\"}");
}

/* The number of "lowest" or "highest"; NULL: missing, or *n, which is not 1, numbers. */
static cJSON *ort_bound(const cJSON *const tensor, const char *const key, int *const n) {
  *n = 1;
  cJSON *item = cJSON_GetObjectItemCaseSensitive(tensor, key);
  if (cJSON_IsObject(item)) {
    item = cJSON_GetObjectItemCaseSensitive(item, "data");
  }
  while (cJSON_IsArray(item)) {
    *n = cJSON_GetArraySize(item);
    item = *n == 1 ? item->child : NULL;
  }
  return cJSON_IsNumber(item) ? item : NULL;
}

static tare_status ort_read_bound(const tarei_source *const source, const cJSON *const tensor,
                                  const char *const key, double *const value,
                                  tare_error *const err) {
  int n = 0;
  const cJSON *const bound = ort_bound(tensor, key, &n);
  const char *const file = source->name, *const name = tensor->string;
  if (n > 1) {
    return tarei_fail(err, TARE_E_INPUT,
                      "%s: tensor '%.120s': '%s' has %d numbers, one per channel: expected one "
                      "(calibrate without per_channel)",
                      file, name, key, n);
  }
  if (!bound) {
    return tarei_fail(err, TARE_E_INPUT, "%s: tensor '%.120s': '%s' must be an array of one number",
                      file, name, key);
  }
  *value = bound->valuedouble;
  return TARE_OK;
}

/* Keeps what the range alone does not say. */
static tare_status ort_keep(const char *const file, const cJSON *const item, const ort_range range,
                            tarei_extras *const extras, tare_error *const err) {
  tarei_str plain = {0}, whole = {0};
  ort_put_range(&plain, range);
  tare_status status =
      tarei_python_value(&whole, item)
          ? TARE_OK
          : tarei_fail(err, TARE_E_INPUT, "%s: tensor '%.120s' has text that is not UTF-8", file,
                       item->string);
  if (status == TARE_OK && (plain.failed || whole.failed)) {
    status = tarei_fail_memory(err, "a tensor of a calibration table", whole.length);
  }
  if (status == TARE_OK && strcmp(plain.text, whole.text) != 0) {
    status = tarei_extras_add(extras, KEPT, whole.text, err);
  }
  tarei_str_free(&plain);
  tarei_str_free(&whole);
  return status;
}

static tare_status ort_read_tensor(const tarei_source *const source, const cJSON *const item,
                                   tare_table *const table, tare_error *const err) {
  double low = 0, high = 0;
  TAREI_TRY(ort_read_bound(source, item, "lowest", &low, err));
  TAREI_TRY(ort_read_bound(source, item, "highest", &high, err));
  TAREI_TRY(tarei_ort_add(source->name, item->string, (tarei_ort_range){low, high}, table, err));
  const ort_range r = {(float)low, (float)high};
  return ort_keep(source->name, item, r, &table->tensors[table->n_tensors - 1].extras, err);
}

/* "CalibrationMethod.Entropy" is the method "Entropy". */
static tare_status ort_read_method(const tarei_source *const source, const cJSON *const root,
                                   const char **const method, tare_error *const err) {
  const cJSON *const object = cJSON_GetObjectItemCaseSensitive(root, "calibration_method");
  const char *const value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "value"));
  const size_t n = sizeof METHOD_PREFIX - 1;
  if (!value || strncmp(value, METHOD_PREFIX, n) != 0 || !value[n]) {
    return tarei_fail(err, TARE_E_INPUT,
                      "%s: 'calibration_method' must have the value '%s<name>', e.g. %sMinMax",
                      source->name, METHOD_PREFIX, METHOD_PREFIX);
  }
  *method = value + n;
  return TARE_OK;
}

/* Other members of the file, such as "smooth_quant", become one member of the table. */
static tare_status ort_read_rest(const tarei_source *const source, cJSON *const root,
                                 tare_table *const table, tare_error *const err) {
  static const char *const known[] = {"CLS", "data", "calibration_method"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    cJSON_DeleteItemFromObjectCaseSensitive(root, known[i]);
  }
  if (!root->child) {
    return TARE_OK;
  }
  tarei_str json = {0};
  tare_status status =
      tarei_python_value(&json, root)
          ? TARE_OK
          : tarei_fail(err, TARE_E_INPUT, "%s: text that is not UTF-8", source->name);
  if (status == TARE_OK) {
    status = json.failed ? tarei_fail_memory(err, source->name, json.length)
                         : tarei_extras_add(&table->extras, KEPT, json.text, err);
  }
  tarei_str_free(&json);
  return status;
}

static tare_status ort_read_root(const tarei_source *const source, cJSON *const root,
                                 tare_table **const out, tare_error *const err) {
  const cJSON *const data = cJSON_GetObjectItemCaseSensitive(root, "data");
  const char *method = NULL;
  TAREI_TRY(ort_read_method(source, root, &method, err));
  if (!cJSON_IsObject(data) || !data->child) {
    return tarei_fail(err, TARE_E_INPUT, "%s: 'data' must be an object with a member per tensor",
                      source->name);
  }
  TAREI_TRY(tarei_table_new(method, 1, out, err));
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, data) {
    TAREI_TRY(ort_read_tensor(source, item, *out, err));
  }
  TAREI_TRY(ort_read_rest(source, root, *out, err));
  return tarei_table_finish(*out, source->name, err);
}

static tare_status format_ort_read(const tarei_source *const source, tare_table **const out,
                                   tare_error *const err) {
  cJSON *root = NULL;
  TAREI_TRY(tarei_json_parse(source, &root, err));
  const tare_status status = ort_read_root(source, root, out, err);
  cJSON_Delete(root);
  return status;
}

/* A number that rounds to the new one stays. */
static void ort_set(cJSON *const number, const float value) {
  if ((float)number->valuedouble != value) {
    number->valuedouble = (double)value;
  }
}

/* A tensor that was read from such a file keeps the form that it had there. */
static tare_status ort_put_kept(tarei_str *const json, const tarei_table_tensor *const tensor,
                                const char *const kept, const ort_range r, tare_error *const err) {
  cJSON *const item = cJSON_Parse(kept);
  if (!item) { /* it is valid JSON */
    return tarei_fail_memory(err, "a tensor of a calibration table", strlen(kept));
  }
  int n = 0;
  cJSON *const low = ort_bound(item, "lowest", &n), *const high = ort_bound(item, "highest", &n);
  if (low && high) {
    ort_set(low, r.low);
    ort_set(high, r.high);
  }
  const tare_status status =
      low && high && tarei_python_value(json, item)
          ? TARE_OK
          : tarei_fail(err, TARE_E_UNSUPPORTED,
                       "tensor '%.120s': its member '%s' is not a tensor of ONNX Runtime's table",
                       tensor->name, KEPT);
  cJSON_Delete(item);
  return status;
}

static tare_status ort_put_tensor(tarei_str *const json, const tarei_table_tensor *const tensor,
                                  const int column, tare_error *const err) {
  const ort_range r = ort_range_of(&tensor->cells[column]);
  const char *const kept = tarei_extras_find(&tensor->extras, KEPT);
  if (!tarei_python_string(json, tensor->name)) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "the name of tensor %d is not UTF-8, which ONNX Runtime's table needs",
                      tensor->place);
  }
  tarei_str_add(json, ": ");
  if (kept) {
    return ort_put_kept(json, tensor, kept, r, err);
  }
  ort_put_range(json, r);
  return TARE_OK;
}

static const char *ort_method(const tare_table *const table) {
  for (int i = 0; i < N_ORT_METHODS; i++) {
    if (strcasecmp(table->method, ORT_METHODS[i]) == 0) {
      return ORT_METHODS[i];
    }
  }
  return ORT_METHODS[0]; /* the ranges are used as they are */
}

static void ort_put_end(tarei_str *const json, const tare_table *const table) {
  tarei_str_add(json, "}, \"calibration_method\": {\"CLS\": \"CalibrationMethod\", \"value\": ");
  tarei_str_add(json, "\"%s%s\"}", METHOD_PREFIX, ort_method(table));
  const char *const kept = tarei_extras_find(&table->extras, KEPT);
  cJSON *const rest = kept ? cJSON_Parse(kept) : NULL;
  json->failed = json->failed || (kept && !rest); /* it is valid JSON */
  for (const cJSON *item = cJSON_IsObject(rest) ? rest->child : NULL; item; item = item->next) {
    tarei_str_add(json, ", ");
    (void)tarei_python_string(json, item->string); /* checked when it was read */
    tarei_str_add(json, ": ");
    (void)tarei_python_value(json, item);
  }
  cJSON_Delete(rest);
  tarei_str_add(json, "}");
}

static tare_status format_ort_write(const tare_table *const table, const tarei_table_job *const job,
                                    tare_error *const err) {
  tarei_str json = {0};
  tarei_str_add(&json, "{\"CLS\": \"TensorsData\", \"data\": {");
  const tare_status status =
      tarei_table_put_all(table, job->column, ", ", ort_put_tensor, &json, err);
  ort_put_end(&json, table);
  return tarei_table_save_text(status, &json, job->path, err);
}

static bool ort_holds_ranges(const tare_table *const table) {
  for (int i = 0; i < table->n_tensors; i++) {
    for (int c = 0; c < table->n_columns; c++) {
      const tarei_cell *const cell = &table->tensors[i].cells[c];
      const ort_range r = ort_range_of(cell);
      const bool known = !isnan(cell->min) && !isnan(cell->max);
      if (known && ((float)cell->min != r.low || (float)cell->max != r.high)) {
        return false;
      }
    }
  }
  return true;
}

static bool ort_holds_extras(const tare_table *const table) {
  int kept = tarei_extras_find(&table->extras, KEPT) != NULL;
  for (int i = 0; i < table->n_tensors; i++) {
    kept += tarei_extras_find(&table->tensors[i].extras, KEPT) != NULL;
  }
  return tarei_table_n_newer(table) == kept;
}

static bool format_ort_holds(const tare_table *const table, const tarei_table_part part,
                             const char *const *const values) {
  (void)values;
  return part == TAREI_TABLE_METHOD
             ? table->parameters.n == 0 && strcmp(table->method, ort_method(table)) == 0
         : part == TAREI_TABLE_RANGES ? ort_holds_ranges(table)
         : part == TAREI_TABLE_EXTRAS ? ort_holds_extras(table)
                                      : part == TAREI_TABLE_DEAD;
}

const tarei_table_format tarei_table_format_ort = {.about = {.name = "ort",
                                                             .noun = "an ONNX Runtime table",
                                                             .extension = ".ort.json",
                                                             .engine = "ONNX Runtime"},
                                                   .mark = "a JSON object of TensorsData",
                                                   .recognizes = format_ort_recognizes,
                                                   .read = format_ort_read,
                                                   .holds = format_ort_holds,
                                                   .write = format_ort_write};
