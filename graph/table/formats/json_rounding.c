#include "graph/table/formats/json_rounding.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/mem.h"
#include "graph/table/rounding.h"

#define MINOR_WITH_ROUNDING 1 /* and smoothing */
#define MINOR_WITH_NUMBERS 2
#define MINOR_WITH_PRECISIONS 3 /* of layers */
#define BYTES_AT_ONCE 768 /* a multiple of 3 */

int tarei_json_minor(const tare_table *const table) {
  int least = table->roundings.n || table->smoothings.n ? MINOR_WITH_ROUNDING : 0;
  for (int k = 0; k < TAREI_NUMBERS_COUNT; k++) {
    least = table->numbers[k].n ? MINOR_WITH_NUMBERS : least;
  }
  least = *table->layer_precisions ? MINOR_WITH_PRECISIONS : least;
  return table->minor < least ? least : table->minor;
}

/* --- reading ---------------------------------------------------------------------------------- */

static tare_status read_bits(const tarei_json_place *const p, const cJSON *const item,
                             const int64_t n, const int64_t k, uint8_t **const out,
                             tare_error *const err) {
  const size_t bytes = tarei_rounding_bytes(n, k);
  const char *text = NULL;
  TAREI_TRY(tarei_json_get_text(p, item, "up", &text, err));
  if (!bytes) {
    return tarei_json_fail_at(p, "n", "and 'k' must be at least 1, and their product below 2^63",
                              err);
  }
  if (strlen(text) != tarei_base64_length(bytes)) {
    return tarei_fail(err, TARE_E_INPUT,
                      "%s: %s: 'up' must have %zu characters for %" PRId64 " x %" PRId64
                      " weights, got %zu",
                      p->file, p->where, tarei_base64_length(bytes), n, k, strlen(text));
  }
  *out = tarei_calloc(bytes, 1);
  if (!*out) {
    return tarei_fail_memory(err, "the rounding of a layer's weights", bytes);
  }
  if (!tarei_base64_take(text, *out, bytes)) {
    return tarei_json_fail_at(p, "up", "must be base64, with its padding", err);
  }
  const int64_t last = n * k % 8;
  return last && (*out)[bytes - 1] >> last
             ? tarei_json_fail_at(p, "up", "must have no bit set behind the last weight", err)
             : TARE_OK;
}

static tare_status read_rounding(const tarei_json_place *const p, const cJSON *const item,
                                 tare_table *const table, tare_error *const err) {
  static const char *const known[] = {"n", "k", "hash", "up", NULL};
  int64_t n = 0, k = 0;
  uint64_t hash = 0;
  uint8_t *up = NULL;
  if (!cJSON_IsObject(item)) {
    return tarei_fail(err, TARE_E_INPUT, "%s: %s must be an object", p->file, p->where);
  }
  TAREI_TRY(tarei_json_get_count(p, item, "n", &n, err));
  TAREI_TRY(tarei_json_get_count(p, item, "k", &k, err));
  TAREI_TRY(tarei_json_get_hash(p, item, &hash, err));
  tare_status status = read_bits(p, item, n, k, &up, err);
  if (status == TARE_OK) {
    status = tarei_roundings_add(&table->roundings, item->string, n, k, hash, up, err);
  }
  free(up);
  return status == TARE_OK
             ? tarei_json_keep_extras(item, known,
                                      &table->roundings.items[table->roundings.n - 1].extras, err)
             : status;
}

tare_status tarei_json_read_roundings(tarei_json_place *const p, const cJSON *const root,
                                      tare_table *const table, tare_error *const err) {
  const cJSON *all = NULL, *item = NULL;
  if (!tarei_json_find(root, "rounding")) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_json_get_object(p, root, "rounding", &all, err));
  cJSON_ArrayForEach(item, all) {
    (void)snprintf(p->where, sizeof p->where, "rounding of layer '%.120s'", item->string);
    TAREI_TRY(read_rounding(p, item, table, err));
  }
  p->where[0] = '\0';
  return TARE_OK;
}

/* --- writing ---------------------------------------------------------------------------------- */

static void put_bits(tarei_str *const json, const tarei_rounding *const r) {
  const size_t bytes = tarei_rounding_bytes(r->n, r->k);
  char text[BYTES_AT_ONCE / 3 * 4 + 1];
  for (size_t at = 0; at < bytes; at += BYTES_AT_ONCE) {
    const size_t left = bytes - at;
    tarei_base64_put(r->up + at, left < BYTES_AT_ONCE ? left : BYTES_AT_ONCE, text);
    tarei_str_add(json, "%s", text);
  }
}

void tarei_json_put_roundings(tarei_str *const json, const tare_table *const table) {
  for (int i = 0; i < table->roundings.n; i++) {
    const tarei_rounding *const r = &table->roundings.items[i];
    tarei_str_add(json, "%s", i ? ",\n    " : "  \"rounding\": {\n    ");
    tarei_json_put_text(json, r->layer);
    tarei_str_add(json, ": {\"n\": %" PRId64 ", \"k\": %" PRId64 ", \"hash\": \"%016" PRIx64 "\"",
                  r->n, r->k, r->hash);
    tarei_str_add(json, ", \"up\": \"");
    put_bits(json, r);
    tarei_str_add(json, "\"");
    tarei_json_put_extras(json, &r->extras, false);
    tarei_str_add(json, "}");
  }
  tarei_str_add(json, "%s", table->roundings.n ? "},\n" : "");
}
