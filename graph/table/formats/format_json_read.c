/* Reads the native form. Every member is checked; members that are not known are kept as text. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "graph/table/formats/format_json.h"
#include "graph/table/formats/json_rounding.h"
#include "graph/table/formats/json_numbers.h"
#include "graph/table/formats/json_smoothing.h"
#include "graph/table/formats/json_source.h"

/* One array over the columns. */
typedef const char *cell_setter(tarei_cell *cell, const cJSON *item); /* the rule broken, or NULL */

static const char *set_amax(tarei_cell *const cell, const cJSON *const item) {
  if (cJSON_IsNull(item)) {
    cell->amax = 0;
    return NULL;
  }
  const double v = tarei_table_in_float(item->valuedouble);
  if (!cJSON_IsNumber(item)) {
    return "must be numbers, or null for a dead tensor";
  }
  if (!isfinite(v) || v > FLT_MAX) {
    return "must be finite in float32";
  }
  if (v <= 0) {
    return "must be positive (null marks a dead tensor)";
  }
  cell->amax = tarei_table_widen(v);
  return v < tarei_table_least_amax() ? "is too small: the scale would be denormal" : NULL;
}

static const char *set_optional(double *const slot, const cJSON *const item) {
  if (cJSON_IsNull(item)) {
    *slot = NAN;
    return NULL;
  }
  const double v = tarei_table_in_float(item->valuedouble);
  if (!cJSON_IsNumber(item) || !isfinite(v) || fabs(v) > FLT_MAX) {
    return "must be finite float32 numbers, or null where unknown";
  }
  *slot = tarei_table_widen(v);
  return NULL;
}

static const char *set_min(tarei_cell *const cell, const cJSON *const item) {
  return set_optional(&cell->min, item);
}
static const char *set_max(tarei_cell *const cell, const cJSON *const item) {
  const char *const rule = set_optional(&cell->max, item);
  return rule ? rule : cell->max < cell->min ? "must not be below 'min'" : NULL;
}
static const char *set_count(tarei_cell *const cell, const cJSON *const item) {
  return tarei_json_as_count(item, &cell->count) ? NULL : "must be integers from 0 to 2^53";
}
static const char *set_share(double *const slot, const cJSON *const item) {
  const char *const rule = set_optional(slot, item);
  return rule ? rule : *slot < 0 || *slot > 1 ? "must be within 0..1" : NULL;
}
static const char *set_energy(tarei_cell *const cell, const cJSON *const item) {
  return set_share(&cell->energy_lost, item);
}
static const char *set_static_loss(tarei_cell *const cell, const cJSON *const item) {
  return set_share(&cell->static_loss, item);
}
static const char *set_row_loss(tarei_cell *const cell, const cJSON *const item) {
  return set_share(&cell->row_loss, item);
}
static const char *set_positive(double *const slot, const cJSON *const item) {
  const char *const rule = set_optional(slot, item);
  return rule ? rule : *slot < 0 ? "must not be negative" : NULL;
}
static const char *set_rms(tarei_cell *const cell, const cJSON *const item) {
  return set_positive(&cell->rms, item);
}
static const char *set_rows(tarei_cell *const cell, const cJSON *const item) {
  return set_positive(&cell->rows, item);
}

static tare_status format_json_read_column(const tarei_json_place *const p,
                                           const cJSON *const object, const char *const key,
                                           cell_setter *const set, const int n_columns,
                                           tarei_cell *const cells, tare_error *const err) {
  const cJSON *array = NULL;
  TAREI_TRY(tarei_json_get_array(p, object, key, &array, err));
  if (cJSON_GetArraySize(array) != n_columns) {
    return tarei_json_fail_at(p, key, "must have one value per column (one, or one per profile)",
                              err);
  }
  int i = 0;
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, array) {
    const char *const rule = set(&cells[i++], item);
    if (rule) {
      return tarei_json_fail_at(p, key, rule, err);
    }
  }
  return TARE_OK;
}

static tare_status read_cells(const tarei_json_place *const p, const cJSON *const item,
                              const int n_columns, tarei_cell *const cells, tare_error *const err) {
  /* Rows below 1/128 of the amax, of which older tables have the share, lose everything. */
  static const struct {
    const char *key;
    cell_setter *set;
    bool optional;
  } columns[] = {{"amax", set_amax, false},
                 {"min", set_min, false},
                 {"max", set_max, false},
                 {"count", set_count, false},
                 {"energy_lost", set_energy, false},
                 {"quiet_rows", set_static_loss, true},
                 {"static_loss", set_static_loss, true},
                 {"row_loss", set_row_loss, true},
                 {"rms", set_rms, true},
                 {"rows_per_sample", set_rows, true}};
  for (int i = 0; i < n_columns; i++) {
    cells[i] = tarei_cell_unknown(0);
  }
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
    if (!columns[i].optional || tarei_json_find(item, columns[i].key)) {
      TAREI_TRY(
          format_json_read_column(p, item, columns[i].key, columns[i].set, n_columns, cells, err));
    }
  }
  return TARE_OK;
}

static tare_status format_json_read_tensor(tarei_json_place *const p, const cJSON *const item,
                                           tare_table *const table, tarei_cell *const cells,
                                           tare_error *const err) {
  static const char *const known[] = {
      "name",       "amax",        "min",      "max", "count",           "energy_lost",
      "quiet_rows", "static_loss", "row_loss", "rms", "rows_per_sample", "same_as",
      NULL};
  if (!cJSON_IsObject(item)) {
    return tarei_fail(err, TARE_E_INPUT, "%s: %s must be an object", p->file, p->where);
  }
  const char *name = NULL, *same_as = NULL;
  TAREI_TRY(tarei_json_get_text(p, item, "name", &name, err));
  (void)snprintf(p->where, sizeof p->where, "tensor '%.120s'", name);
  if (tarei_json_find(item, "same_as")) {
    TAREI_TRY(tarei_json_get_text(p, item, "same_as", &same_as, err));
  }
  TAREI_TRY(read_cells(p, item, table->n_columns, cells, err));
  TAREI_TRY(tarei_table_add_tensor(table, name, same_as, cells, err));
  return tarei_json_keep_extras(item, known, &table->tensors[table->n_tensors - 1].extras, err);
}

static tare_status read_tensors(tarei_json_place *const p, const cJSON *const root,
                                tare_table *const table, tare_error *const err) {
  const cJSON *array = NULL;
  TAREI_TRY(tarei_json_get_array(p, root, "tensors", &array, err));
  tarei_cell *const cells = tarei_calloc((size_t)table->n_columns, sizeof *cells);
  if (!cells) {
    return tarei_fail_memory(err, "a line of a calibration table", sizeof *cells);
  }
  tare_status status = TARE_OK;
  int i = 0;
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, array) {
    (void)snprintf(p->where, sizeof p->where, "tensors[%d]", i++);
    TAREI_TRY_GOTO(format_json_read_tensor(p, item, table, cells, err), done);
  }
done:
  free(cells);
  p->where[0] = '\0';
  return status;
}

static tare_status read_profiles(tarei_json_place *const p, const cJSON *const array,
                                 tare_table *const table, tare_error *const err) {
  static const char *const known[] = {"spec", "samples", NULL};
  int i = 0;
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, array) {
    (void)snprintf(p->where, sizeof p->where, "profiles[%d]", i++);
    if (!cJSON_IsObject(item)) {
      return tarei_fail(err, TARE_E_INPUT, "%s: %s must be an object", p->file, p->where);
    }
    const char *spec = NULL;
    int64_t samples = 0;
    TAREI_TRY(tarei_json_get_text(p, item, "spec", &spec, err));
    TAREI_TRY(tarei_json_get_count(p, item, "samples", &samples, err));
    TAREI_TRY(tarei_table_add_profile(table, spec, samples, err));
    TAREI_TRY(
        tarei_json_keep_extras(item, known, &table->profiles[table->n_profiles - 1].extras, err));
  }
  p->where[0] = '\0';
  return TARE_OK;
}

static tare_status read_warnings(const tarei_json_place *const p, const cJSON *const root,
                                 tare_table *const table, tare_error *const err) {
  const cJSON *array = NULL;
  TAREI_TRY(tarei_json_get_array(p, root, "warnings", &array, err));
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, array) {
    if (!cJSON_IsString(item)) {
      return tarei_json_fail_at(p, "warnings", "must be strings", err);
    }
    TAREI_TRY(tarei_table_warn(table, err, "%s", item->valuestring));
  }
  return TARE_OK;
}

static tare_status format_json_read_model(const tarei_json_place *const p, const cJSON *const root,
                                          tare_table *const table, tare_error *const err) {
  static const char *const known[] = {"name", "hash", NULL};
  const cJSON *model = NULL;
  const char *name = NULL;
  TAREI_TRY(tarei_json_get_object(p, root, "model", &model, err));
  TAREI_TRY(tarei_json_get_text(p, model, "name", &name, err));
  TAREI_TRY(tarei_json_get_hash(p, model, &table->model_hash, err));
  TAREI_TRY(tarei_table_set_text(&table->model_name, name, err));
  return tarei_json_keep_extras(model, known, &table->model_extras, err);
}

static tare_status read_texts(const tarei_json_place *const p, const cJSON *const root,
                              tare_table *const table, tare_error *const err) {
  static const char *const none[] = {NULL};
  const char *text = NULL;
  TAREI_TRY(tarei_json_get_text(p, root, "fit", &text, err));
  TAREI_TRY(tarei_table_set_text(&table->fit, text, err));
  TAREI_TRY(tarei_json_get_text(p, root, "pad_stats", &text, err));
  TAREI_TRY(tarei_table_set_text(&table->pad_stats, strcmp(text, "skip") ? text : "exclude", err));
  if (cJSON_GetObjectItemCaseSensitive(root, "gain_range")) {
    TAREI_TRY(tarei_json_get_text(p, root, "gain_range", &text, err));
    TAREI_TRY(tarei_table_set_text(&table->gain_range, text, err));
  }
  if (cJSON_GetObjectItemCaseSensitive(root, "layer_precisions")) {
    TAREI_TRY(tarei_json_get_text(p, root, "layer_precisions", &text, err));
    if (tare_table_set_layer_precisions(table, text, err) != TARE_OK) {
      return tarei_fail_in(err, TARE_E_INPUT, "%s: layer_precisions", p->file);
    }
  }
  const cJSON *parameters = NULL;
  TAREI_TRY(tarei_json_get_object(p, root, "parameters", &parameters, err));
  return tarei_json_keep_extras(parameters, none, &table->parameters, err);
}

/* Format and version come first: a newer major version must not fail for another reason. */
static tare_status format_json_read_check_version(const tarei_json_place *const p,
                                                  const cJSON *const root, int *const minor,
                                                  const cJSON **const version,
                                                  tare_error *const err) {
  const char *format = NULL;
  int64_t major = 0, number = 0;
  TAREI_TRY(tarei_json_get_text(p, root, "format", &format, err));
  if (strcmp(format, "tare.calib") != 0) {
    return tarei_fail(err, TARE_E_INPUT, "%s: 'format' is '%.80s', expected 'tare.calib'", p->file,
                      format);
  }
  TAREI_TRY(tarei_json_get_object(p, root, "version", version, err));
  TAREI_TRY(tarei_json_get_count(p, *version, "major", &major, err));
  TAREI_TRY(tarei_json_get_count(p, *version, "minor", &number, err));
  if (major != 1) {
    return tarei_fail(err, TARE_E_INPUT, "%s: tare.calib version %lld is not supported: expected 1",
                      p->file, (long long)major);
  }
  *minor = number < 1000000 ? (int)number : 1000000;
  return TARE_OK;
}

static tare_status start_table(const tarei_json_place *const p, const cJSON *const root,
                               const cJSON **const profiles, tare_table **const out,
                               tare_error *const err) {
  static const char *const known[] = {"major", "minor", NULL};
  int minor = 0;
  const cJSON *version = NULL, *per_profile = NULL;
  const char *method = NULL;
  TAREI_TRY(format_json_read_check_version(p, root, &minor, &version, err));
  TAREI_TRY(tarei_json_get_text(p, root, "method", &method, err));
  TAREI_TRY(tarei_json_get(p, root, "per_profile", &per_profile, err));
  TAREI_TRY(tarei_json_get_array(p, root, "profiles", profiles, err));
  if (!cJSON_IsBool(per_profile)) {
    return tarei_json_fail_at(p, "per_profile", "must be true or false", err);
  }
  const int n = cJSON_GetArraySize(*profiles);
  const bool split = cJSON_IsTrue(per_profile);
  if (n > TARE_MAX_PROFILES || (split && n == 0)) {
    return tarei_json_fail_at(p, "profiles", "must have 1..64 entries (0 only for a merged table)",
                              err);
  }
  TAREI_TRY(tarei_table_new(method, split ? n : 1, out, err));
  (*out)->per_profile = split;
  (*out)->minor = minor;
  return tarei_json_keep_extras(version, known, &(*out)->version_extras, err);
}

static tare_status read_root(tarei_json_place *const p, const cJSON *const root,
                             tare_table **const out, tare_error *const err) {
  static const char *const known[] = {"format",      "version",  "method",           "parameters",
                                      "model",       "fit",      "pad_stats",        "gain_range",
                                      "per_profile", "profiles", "warnings",         "rounding",
                                      "smoothing",   "tensors",  "layer_precisions",
#define TAREI_LAYER_NUMBERS(ID, member, key, noun) member,
#include "graph/table/layer_numbers.inc"
#undef TAREI_LAYER_NUMBERS
                                      NULL};
  const cJSON *profiles = NULL;
  TAREI_TRY(start_table(p, root, &profiles, out, err));
  TAREI_TRY(read_texts(p, root, *out, err));
  TAREI_TRY(format_json_read_model(p, root, *out, err));
  TAREI_TRY(read_profiles(p, profiles, *out, err));
  TAREI_TRY(read_warnings(p, root, *out, err));
  TAREI_TRY(tarei_json_read_roundings(p, root, *out, err));
  TAREI_TRY(tarei_json_read_smoothings(p, root, *out, err));
  TAREI_TRY(tarei_json_read_numbers(p, root, *out, err));
  TAREI_TRY(read_tensors(p, root, *out, err));
  TAREI_TRY(tarei_json_keep_extras(root, known, &(*out)->extras, err));
  return tarei_table_finish(*out, p->file, err);
}

tare_status tarei_format_json_read(const tarei_source *const source, tare_table **const out,
                                   tare_error *const err) {
  *out = NULL;
  cJSON *root = NULL;
  TAREI_TRY(tarei_json_parse(source, &root, err));
  tarei_json_place p = {.file = source->name};
  const tare_status status = read_root(&p, root, out, err);
  cJSON_Delete(root);
  if (status != TARE_OK) {
    tare_table_free(out);
  }
  return status;
}
