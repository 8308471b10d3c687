#include "graph/table/formats/json_smoothing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "graph/table/smoothing.h"

/* --- reading ---------------------------------------------------------------------------------- */

static tare_status json_read_exponents(const tarei_json_place *const p, const cJSON *const array,
                                       int8_t *const out, tare_error *const err) {
  const cJSON *item = NULL;
  int i = 0;
  cJSON_ArrayForEach(item, array) {
    const double value = cJSON_IsNumber(item) ? item->valuedouble : NAN;
    if (!(fabs(value) <= TAREI_SMOOTHING_MOST) || value != floor(value)) {
      return tarei_json_fail_at(p, "exponents", "must be integers from -24 to 24", err);
    }
    out[i++] = (int8_t)value;
  }
  return TARE_OK;
}

static tare_status json_read_range(const tarei_json_place *const p, const cJSON *const item,
                                   const char *const key, const int n_columns, double *const out,
                                   tare_error *const err) {
  const cJSON *array = NULL, *number = NULL;
  TAREI_TRY(tarei_json_get_array(p, item, key, &array, err));
  if (cJSON_GetArraySize(array) != n_columns) {
    return tarei_json_fail_at(p, key, "must have one value per column (one, or one per profile)",
                              err);
  }
  int i = 0;
  cJSON_ArrayForEach(number, array) {
    if (!cJSON_IsNumber(number) || !isfinite((float)number->valuedouble)) {
      return tarei_json_fail_at(p, key, "must be numbers that a float32 holds", err);
    }
    out[i++] = tarei_table_widen(number->valuedouble);
  }
  return TARE_OK;
}

/* Whether each column has a threshold that makes a scale. */
static tare_status json_check_ranges(const tarei_json_place *const p, const int n_columns,
                                     const double *const min, const double *const max,
                                     tare_error *const err) {
  for (int i = 0; i < n_columns; i++) {
    if (min[i] > max[i] || fmax(-min[i], max[i]) < tarei_table_least_amax()) {
      return tarei_json_fail_at(p, "max", "must not be below 'min', and one of them not zero", err);
    }
  }
  return TARE_OK;
}

static tare_status json_read_smoothing(const tarei_json_place *const p, const cJSON *const item,
                                       tare_table *const table, tare_error *const err) {
  static const char *const known[] = {"exponents", "min", "max", "rms", NULL};
  const cJSON *array = NULL, *rms = NULL;
  if (!cJSON_IsObject(item)) {
    return tarei_fail(err, TARE_E_INPUT, "%s: %s must be an object", p->file, p->where);
  }
  TAREI_TRY(tarei_json_get_array(p, item, "exponents", &array, err));
  TAREI_TRY(tarei_json_get(p, item, "rms", &rms, err));
  if (!cJSON_IsNumber(rms) || !(rms->valuedouble > 0) || !isfinite(rms->valuedouble)) {
    return tarei_json_fail_at(p, "rms", "must be a positive number", err);
  }
  const int channels = cJSON_GetArraySize(array), n = table->n_columns;
  if (channels < 1) {
    return tarei_json_fail_at(p, "exponents", "must have one integer per channel", err);
  }
  int8_t *const exponents = tarei_calloc((size_t)channels, sizeof *exponents);
  double *const limits = tarei_calloc((size_t)n, 2 * sizeof *limits);
  tare_status status = TARE_OK;
  if (!exponents || !limits) {
    TAREI_TRY_GOTO(tarei_fail_memory(err, "a smoothed tensor", (size_t)channels), done);
  }
  TAREI_TRY_GOTO(json_read_exponents(p, array, exponents, err), done);
  TAREI_TRY_GOTO(json_read_range(p, item, "min", n, limits, err), done);
  TAREI_TRY_GOTO(json_read_range(p, item, "max", n, limits + n, err), done);
  TAREI_TRY_GOTO(json_check_ranges(p, n, limits, limits + n, err), done);
  TAREI_TRY_GOTO(tarei_smoothings_add(&table->smoothings, item->string, channels, exponents, n,
                                      limits, limits + n, tarei_table_widen(rms->valuedouble), err),
                 done);
  status = tarei_json_keep_extras(item, known,
                                  &table->smoothings.items[table->smoothings.n - 1].extras, err);
done:
  free(exponents);
  free(limits);
  return status;
}

tare_status tarei_json_read_smoothings(tarei_json_place *const p, const cJSON *const root,
                                       tare_table *const table, tare_error *const err) {
  const cJSON *all = NULL, *item = NULL;
  if (!tarei_json_find(root, "smoothing")) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_json_get_object(p, root, "smoothing", &all, err));
  cJSON_ArrayForEach(item, all) {
    (void)snprintf(p->where, sizeof p->where, "smoothing of tensor '%.120s'", item->string);
    TAREI_TRY(json_read_smoothing(p, item, table, err));
  }
  p->where[0] = '\0';
  return TARE_OK;
}

/* --- writing ---------------------------------------------------------------------------------- */

static void json_put_range(tarei_str *const json, const char *const key, const double *const values,
                           const int n) {
  tarei_str_add(json, ", \"%s\": [", key);
  for (int i = 0; i < n; i++) {
    char text[40];
    tarei_table_print_number(values[i], text, sizeof text);
    tarei_str_add(json, "%s%s", i ? ", " : "", text);
  }
  tarei_str_add(json, "]");
}

void tarei_json_put_smoothings(tarei_str *const json, const tare_table *const table) {
  for (int i = 0; i < table->smoothings.n; i++) {
    const tarei_smoothing *const s = &table->smoothings.items[i];
    tarei_str_add(json, "%s", i ? ",\n    " : "  \"smoothing\": {\n    ");
    tarei_json_put_text(json, s->tensor);
    tarei_str_add(json, ": {\"exponents\": [");
    for (int64_t c = 0; c < s->channels; c++) {
      tarei_str_add(json, "%s%d", c ? ", " : "", s->exponents[c]);
    }
    tarei_str_add(json, "]");
    json_put_range(json, "min", s->min, table->n_columns);
    json_put_range(json, "max", s->max, table->n_columns);
    char rms[40];
    tarei_table_print_number(s->rms, rms, sizeof rms);
    tarei_str_add(json, ", \"rms\": %s", rms);
    tarei_json_put_extras(json, &s->extras, false);
    tarei_str_add(json, "}");
  }
  tarei_str_add(json, "%s", table->smoothings.n ? "},\n" : "");
}
