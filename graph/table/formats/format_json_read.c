/* Reads the native form. Every member is checked; members that are not known are kept as text. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "graph/table/formats/format_json.h"
#include "graph/table/formats/json_source.h"

#define MAX_COUNT 9007199254740992.0 /* 2^53: beyond it JSON numbers lose integers */

/* Where the reader is, for messages: "file: tensors[3] 'x'". */
typedef struct format_json_read_place {
  const char *file;
  char where[160]; /* "" at the top */
} format_json_read_place;

static tare_status format_json_read_fail_at(const format_json_read_place *const p,
                                            const char *const key, const char *const rule,
                                            tare_error *const err) {
  return tarei_fail(err, TARE_E_INPUT, "%s: %s%s'%s' %s", p->file, p->where, *p->where ? ": " : "",
                    key, rule);
}

static const cJSON *format_json_read_find(const cJSON *const object, const char *const key) {
  return cJSON_GetObjectItemCaseSensitive(object, key);
}

static tare_status check_once(const format_json_read_place *const p, const cJSON *const object,
                              const char *const key, tare_error *const err) {
  int n = 0;
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, object) {
    n += strcmp(item->string, key) == 0;
  }
  return n > 1 ? format_json_read_fail_at(p, key, "is duplicated", err) : TARE_OK;
}

static tare_status format_json_read_get(const format_json_read_place *const p,
                                        const cJSON *const object, const char *const key,
                                        const cJSON **const out, tare_error *const err) {
  *out = format_json_read_find(object, key);
  return *out ? check_once(p, object, key, err)
              : format_json_read_fail_at(p, key, "is missing", err);
}

static tare_status get_object(const format_json_read_place *const p, const cJSON *const object,
                              const char *const key, const cJSON **const out,
                              tare_error *const err) {
  TAREI_TRY(format_json_read_get(p, object, key, out, err));
  return cJSON_IsObject(*out) ? TARE_OK
                              : format_json_read_fail_at(p, key, "must be an object", err);
}

static tare_status get_array(const format_json_read_place *const p, const cJSON *const object,
                             const char *const key, const cJSON **const out,
                             tare_error *const err) {
  TAREI_TRY(format_json_read_get(p, object, key, out, err));
  return cJSON_IsArray(*out) ? TARE_OK : format_json_read_fail_at(p, key, "must be an array", err);
}

static tare_status get_text(const format_json_read_place *const p, const cJSON *const object,
                            const char *const key, const char **const out, tare_error *const err) {
  const cJSON *item = NULL;
  TAREI_TRY(format_json_read_get(p, object, key, &item, err));
  *out = cJSON_GetStringValue(item);
  return *out ? TARE_OK : format_json_read_fail_at(p, key, "must be a string", err);
}

static bool as_count(const cJSON *const item, int64_t *const out) {
  const double v = item->valuedouble;
  const bool ok = cJSON_IsNumber(item) && v >= 0 && v <= MAX_COUNT && v == floor(v);
  *out = ok ? (int64_t)v : 0;
  return ok;
}

static tare_status get_count(const format_json_read_place *const p, const cJSON *const object,
                             const char *const key, int64_t *const out, tare_error *const err) {
  const cJSON *item = NULL;
  TAREI_TRY(format_json_read_get(p, object, key, &item, err));
  return as_count(item, out)
             ? TARE_OK
             : format_json_read_fail_at(p, key, "must be an integer from 0 to 2^53", err);
}

/* Keeps the members that are not among the known ones. */
static tare_status keep_extras(const cJSON *const object, const char *const *const known,
                               tarei_extras *const extras, tare_error *const err) {
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, object) {
    int k = 0;
    while (known[k] && strcmp(known[k], item->string) != 0) {
      k++;
    }
    if (known[k]) {
      continue;
    }
    char *const json = cJSON_PrintUnformatted(item);
    if (!json) {
      return tarei_fail_memory(err, "a member of a calibration table", strlen(item->string));
    }
    const tare_status status = tarei_extras_add(extras, item->string, json, err);
    cJSON_free(json);
    TAREI_TRY(status);
  }
  return TARE_OK;
}

/* Nine digits stand for the float nearest to them. */
static double format_json_read_widen(const double value) {
  char text[40];
  (void)snprintf(text, sizeof text, "%.9g", (double)(float)value);
  return strtod(text, NULL) == value ? (double)(float)value : value;
}

/* One array over the columns. */
typedef const char *cell_setter(tarei_cell *cell, const cJSON *item); /* the rule broken, or NULL */

static const char *set_amax(tarei_cell *const cell, const cJSON *const item) {
  if (cJSON_IsNull(item)) {
    cell->amax = 0;
    return NULL;
  }
  const double v = item->valuedouble;
  if (!cJSON_IsNumber(item)) {
    return "must be numbers, or null for a dead tensor";
  }
  if (!isfinite(v) || v > FLT_MAX) {
    return "must be finite in float32";
  }
  if (v <= 0) {
    return "must be positive (null marks a dead tensor)";
  }
  cell->amax = format_json_read_widen(v);
  return v < tarei_table_least_amax() ? "is too small: the scale would be denormal" : NULL;
}

static const char *set_optional(double *const slot, const cJSON *const item) {
  if (cJSON_IsNull(item)) {
    *slot = NAN;
    return NULL;
  }
  if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble) || fabs(item->valuedouble) > FLT_MAX) {
    return "must be finite float32 numbers, or null where unknown";
  }
  *slot = format_json_read_widen(item->valuedouble);
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
  return as_count(item, &cell->count) ? NULL : "must be integers from 0 to 2^53";
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
static const char *set_rms(tarei_cell *const cell, const cJSON *const item) {
  const char *const rule = set_optional(&cell->rms, item);
  return rule ? rule : cell->rms < 0 ? "must not be negative" : NULL;
}

static tare_status format_json_read_column(const format_json_read_place *const p,
                                           const cJSON *const object, const char *const key,
                                           cell_setter *const set, const int n_columns,
                                           tarei_cell *const cells, tare_error *const err) {
  const cJSON *array = NULL;
  TAREI_TRY(get_array(p, object, key, &array, err));
  if (cJSON_GetArraySize(array) != n_columns) {
    return format_json_read_fail_at(
        p, key, "must have one value per column (one, or one per profile)", err);
  }
  int i = 0;
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, array) {
    const char *const rule = set(&cells[i++], item);
    if (rule) {
      return format_json_read_fail_at(p, key, rule, err);
    }
  }
  return TARE_OK;
}

static tare_status read_cells(const format_json_read_place *const p, const cJSON *const item,
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
                 {"rms", set_rms, true}};
  for (int i = 0; i < n_columns; i++) {
    cells[i] = tarei_cell_unknown(0);
  }
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
    if (!columns[i].optional || format_json_read_find(item, columns[i].key)) {
      TAREI_TRY(
          format_json_read_column(p, item, columns[i].key, columns[i].set, n_columns, cells, err));
    }
  }
  return TARE_OK;
}

static tare_status format_json_read_tensor(format_json_read_place *const p, const cJSON *const item,
                                           tare_table *const table, tarei_cell *const cells,
                                           tare_error *const err) {
  static const char *const known[] = {"name",     "amax",        "min",        "max",
                                      "count",    "energy_lost", "quiet_rows", "static_loss",
                                      "row_loss", "rms",         "same_as",    NULL};
  if (!cJSON_IsObject(item)) {
    return tarei_fail(err, TARE_E_INPUT, "%s: %s must be an object", p->file, p->where);
  }
  const char *name = NULL, *same_as = NULL;
  TAREI_TRY(get_text(p, item, "name", &name, err));
  (void)snprintf(p->where, sizeof p->where, "tensor '%.120s'", name);
  if (format_json_read_find(item, "same_as")) {
    TAREI_TRY(get_text(p, item, "same_as", &same_as, err));
  }
  TAREI_TRY(read_cells(p, item, table->n_columns, cells, err));
  TAREI_TRY(tarei_table_add_tensor(table, name, same_as, cells, err));
  return keep_extras(item, known, &table->tensors[table->n_tensors - 1].extras, err);
}

static tare_status read_tensors(format_json_read_place *const p, const cJSON *const root,
                                tare_table *const table, tare_error *const err) {
  const cJSON *array = NULL;
  TAREI_TRY(get_array(p, root, "tensors", &array, err));
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

static tare_status read_profiles(format_json_read_place *const p, const cJSON *const array,
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
    TAREI_TRY(get_text(p, item, "spec", &spec, err));
    TAREI_TRY(get_count(p, item, "samples", &samples, err));
    TAREI_TRY(tarei_table_add_profile(table, spec, samples, err));
    TAREI_TRY(keep_extras(item, known, &table->profiles[table->n_profiles - 1].extras, err));
  }
  p->where[0] = '\0';
  return TARE_OK;
}

static tare_status read_warnings(const format_json_read_place *const p, const cJSON *const root,
                                 tare_table *const table, tare_error *const err) {
  const cJSON *array = NULL;
  TAREI_TRY(get_array(p, root, "warnings", &array, err));
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, array) {
    if (!cJSON_IsString(item)) {
      return format_json_read_fail_at(p, "warnings", "must be strings", err);
    }
    TAREI_TRY(tarei_table_warn(table, err, "%s", item->valuestring));
  }
  return TARE_OK;
}

static tare_status format_json_read_model(const format_json_read_place *const p,
                                          const cJSON *const root, tare_table *const table,
                                          tare_error *const err) {
  static const char *const known[] = {"name", "hash", NULL};
  const cJSON *model = NULL;
  const char *name = NULL, *hash = NULL;
  TAREI_TRY(get_object(p, root, "model", &model, err));
  TAREI_TRY(get_text(p, model, "name", &name, err));
  TAREI_TRY(get_text(p, model, "hash", &hash, err));
  if (strlen(hash) != 16 || strspn(hash, "0123456789abcdef") != 16) {
    return format_json_read_fail_at(p, "hash", "must be 16 lower-case hexadecimal digits", err);
  }
  table->model_hash = strtoull(hash, NULL, 16);
  TAREI_TRY(tarei_table_set_text(&table->model_name, name, err));
  return keep_extras(model, known, &table->model_extras, err);
}

static tare_status read_texts(const format_json_read_place *const p, const cJSON *const root,
                              tare_table *const table, tare_error *const err) {
  static const char *const none[] = {NULL};
  const char *text = NULL;
  TAREI_TRY(get_text(p, root, "fit", &text, err));
  TAREI_TRY(tarei_table_set_text(&table->fit, text, err));
  TAREI_TRY(get_text(p, root, "pad_stats", &text, err));
  TAREI_TRY(tarei_table_set_text(&table->pad_stats, strcmp(text, "skip") ? text : "exclude", err));
  const cJSON *parameters = NULL;
  TAREI_TRY(get_object(p, root, "parameters", &parameters, err));
  return keep_extras(parameters, none, &table->parameters, err);
}

/* Format and version come first: a newer major version must not fail for another reason. */
static tare_status format_json_read_check_version(const format_json_read_place *const p,
                                                  const cJSON *const root, int *const minor,
                                                  const cJSON **const version,
                                                  tare_error *const err) {
  const char *format = NULL;
  int64_t major = 0, number = 0;
  TAREI_TRY(get_text(p, root, "format", &format, err));
  if (strcmp(format, "tare.calib") != 0) {
    return tarei_fail(err, TARE_E_INPUT, "%s: 'format' is '%.80s', expected 'tare.calib'", p->file,
                      format);
  }
  TAREI_TRY(get_object(p, root, "version", version, err));
  TAREI_TRY(get_count(p, *version, "major", &major, err));
  TAREI_TRY(get_count(p, *version, "minor", &number, err));
  if (major != 1) {
    return tarei_fail(err, TARE_E_INPUT, "%s: tare.calib version %lld is not supported: expected 1",
                      p->file, (long long)major);
  }
  *minor = number < 1000000 ? (int)number : 1000000;
  return TARE_OK;
}

static tare_status start_table(const format_json_read_place *const p, const cJSON *const root,
                               const cJSON **const profiles, tare_table **const out,
                               tare_error *const err) {
  static const char *const known[] = {"major", "minor", NULL};
  int minor = 0;
  const cJSON *version = NULL, *per_profile = NULL;
  const char *method = NULL;
  TAREI_TRY(format_json_read_check_version(p, root, &minor, &version, err));
  TAREI_TRY(get_text(p, root, "method", &method, err));
  TAREI_TRY(format_json_read_get(p, root, "per_profile", &per_profile, err));
  TAREI_TRY(get_array(p, root, "profiles", profiles, err));
  if (!cJSON_IsBool(per_profile)) {
    return format_json_read_fail_at(p, "per_profile", "must be true or false", err);
  }
  const int n = cJSON_GetArraySize(*profiles);
  const bool split = cJSON_IsTrue(per_profile);
  if (n > TARE_MAX_PROFILES || (split && n == 0)) {
    return format_json_read_fail_at(p, "profiles",
                                    "must have 1..64 entries (0 only for a merged table)", err);
  }
  TAREI_TRY(tarei_table_new(method, split ? n : 1, out, err));
  (*out)->per_profile = split;
  (*out)->minor = minor;
  return keep_extras(version, known, &(*out)->version_extras, err);
}

static tare_status read_root(format_json_read_place *const p, const cJSON *const root,
                             tare_table **const out, tare_error *const err) {
  static const char *const known[] = {"format",   "version",  "method",    "parameters",
                                      "model",    "fit",      "pad_stats", "per_profile",
                                      "profiles", "warnings", "tensors",   NULL};
  const cJSON *profiles = NULL;
  TAREI_TRY(start_table(p, root, &profiles, out, err));
  TAREI_TRY(read_texts(p, root, *out, err));
  TAREI_TRY(format_json_read_model(p, root, *out, err));
  TAREI_TRY(read_profiles(p, profiles, *out, err));
  TAREI_TRY(read_warnings(p, root, *out, err));
  TAREI_TRY(read_tensors(p, root, *out, err));
  TAREI_TRY(keep_extras(root, known, &(*out)->extras, err));
  return tarei_table_finish(*out, p->file, err);
}

tare_status tarei_format_json_read(const tarei_source *const source, tare_table **const out,
                                   tare_error *const err) {
  *out = NULL;
  cJSON *root = NULL;
  TAREI_TRY(tarei_json_parse(source, &root, err));
  format_json_read_place p = {.file = source->name};
  const tare_status status = read_root(&p, root, out, err);
  cJSON_Delete(root);
  if (status != TARE_OK) {
    tare_table_free(out);
  }
  return status;
}
