#include "graph/table/formats/json_numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "graph/table/layer_numbers.h"

/* --- reading ---------------------------------------------------------------------------------- */

static tare_status json_take_numbers(const tarei_json_place *const p, const tarei_numbers_kind kind,
                                     const cJSON *const array, float *const out,
                                     tare_error *const err) {
  const cJSON *number = NULL;
  const char *rule;
  int i = 0;
  cJSON_ArrayForEach(number, array) {
    const double value = cJSON_IsNumber(number) ? number->valuedouble : (double)NAN;
    if (!tarei_numbers_accept(kind, value, &rule)) {
      return tarei_json_fail_at(p, tarei_numbers_about_of(kind)->key, rule, err);
    }
    out[i++] = (float)value;
  }
  return TARE_OK;
}

static tare_status json_read_layer_numbers(const tarei_json_place *const p,
                                           const tarei_numbers_kind kind, const cJSON *const item,
                                           tarei_numbers *const to, tare_error *const err) {
  const char *const key = tarei_numbers_about_of(kind)->key;
  const char *const known[] = {"hash", key, NULL};
  const cJSON *array = NULL;
  uint64_t hash = 0;
  if (!cJSON_IsObject(item)) {
    return tarei_fail(err, TARE_E_INPUT, "%s: %s must be an object", p->file, p->where);
  }
  TAREI_TRY(tarei_json_get_hash(p, item, &hash, err));
  TAREI_TRY(tarei_json_get_array(p, item, key, &array, err));
  const int n = cJSON_GetArraySize(array);
  if (n < 1) {
    return tarei_json_fail_at(p, key, "must have one number per channel", err);
  }
  float *const values = tarei_calloc((size_t)n, sizeof *values);
  if (!values) {
    return tarei_fail_memory(err, "numbers of a layer", (size_t)n * sizeof *values);
  }
  tare_status status = json_take_numbers(p, kind, array, values, err);
  if (status == TARE_OK) {
    status = tarei_numbers_add(to, item->string, n, hash, values, err);
  }
  free(values);
  return status == TARE_OK ? tarei_json_keep_extras(item, known, &to->items[to->n - 1].extras, err)
                           : status;
}

static tare_status json_read_list(tarei_json_place *const p, const tarei_numbers_kind kind,
                                  const cJSON *const root, tarei_numbers *const to,
                                  tare_error *const err) {
  const tarei_numbers_about *const about = tarei_numbers_about_of(kind);
  const cJSON *all = NULL, *item = NULL;
  if (!tarei_json_find(root, about->member)) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_json_get_object(p, root, about->member, &all, err));
  cJSON_ArrayForEach(item, all) {
    (void)snprintf(p->where, sizeof p->where, "%s '%.120s'", about->noun, item->string);
    TAREI_TRY(json_read_layer_numbers(p, kind, item, to, err));
  }
  p->where[0] = '\0';
  return TARE_OK;
}

tare_status tarei_json_read_numbers(tarei_json_place *const p, const cJSON *const root,
                                    tare_table *const table, tare_error *const err) {
  for (int k = 0; k < TAREI_NUMBERS_COUNT; k++) {
    TAREI_TRY(json_read_list(p, (tarei_numbers_kind)k, root, &table->numbers[k], err));
  }
  return TARE_OK;
}

/* --- writing ---------------------------------------------------------------------------------- */

static void json_put_layer_numbers(tarei_str *const json, const char *const key,
                                   const tarei_layer_numbers *const l) {
  tarei_json_put_text(json, l->layer);
  tarei_str_add(json, ": {\"hash\": \"%016" PRIx64 "\", \"%s\": [", l->hash, key);
  for (int64_t c = 0; c < l->n; c++) {
    char text[40];
    tarei_table_print_number((double)l->values[c], text, sizeof text);
    tarei_str_add(json, "%s%s", c ? ", " : "", text);
  }
  tarei_str_add(json, "]");
  tarei_json_put_extras(json, &l->extras, false);
  tarei_str_add(json, "}");
}

void tarei_json_put_numbers(tarei_str *const json, const tare_table *const table) {
  for (int k = 0; k < TAREI_NUMBERS_COUNT; k++) {
    const tarei_numbers_about *const about = tarei_numbers_about_of((tarei_numbers_kind)k);
    const tarei_numbers *const list = &table->numbers[k];
    for (int i = 0; i < list->n; i++) {
      if (i == 0) {
        tarei_str_add(json, "  \"%s\": {\n    ", about->member);
      } else {
        tarei_str_add(json, ",\n    ");
      }
      json_put_layer_numbers(json, about->key, &list->items[i]);
    }
    tarei_str_add(json, "%s", list->n ? "},\n" : "");
  }
}
