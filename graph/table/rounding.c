#include "graph/table/rounding.h"

#include <string.h>

#include "base/mem.h"

size_t tarei_rounding_bytes(const int64_t n, const int64_t k) {
  int64_t bits = 0;
  return n > 0 && k > 0 && tarei_mul_i64(n, k, &bits) && bits <= INT64_MAX - 7
             ? (size_t)((bits + 7) / 8)
             : 0;
}

void tarei_rounding_fini(tarei_rounding *const rounding) {
  free(rounding->layer);
  free(rounding->up);
}

tare_status tarei_rounding_init(tarei_rounding *const to, const char *const layer, const int64_t n,
                                const int64_t k, const uint64_t hash, const uint8_t *const up,
                                tare_error *const err) {
  const size_t bytes = tarei_rounding_bytes(n, k);
  *to = (tarei_rounding){.n = n, .k = k, .hash = hash};
  to->layer = tarei_strdup(layer);
  to->up = tarei_memdup(up, bytes);
  if (!to->layer || !to->up) {
    return tarei_fail_memory(err, "the rounding of a layer's weights", bytes);
  }
  const int64_t left = to->n * to->k % 8;
  if (left) {
    to->up[bytes - 1] &= (uint8_t)((1u << left) - 1);
  }
  return TARE_OK;
}

tare_status tarei_table_add_rounding(tare_table *const table, const char *const layer,
                                     const int64_t n, const int64_t k, const uint64_t hash,
                                     const uint8_t *const up, tare_error *const err) {
  if (!TAREI_GROW(table->roundings, table->n_roundings, table->cap_roundings)) {
    return tarei_fail_memory(err, "roundings of weights", sizeof *table->roundings);
  }
  return tarei_rounding_init(&table->roundings[table->n_roundings++], layer, n, k, hash, up, err);
}

tare_status tarei_table_copy_rounding(tare_table *const table, const tarei_rounding *const r,
                                      tare_error *const err) {
  return tarei_table_add_rounding(table, r->layer, r->n, r->k, r->hash, r->up, err);
}

static int rounding_by_layer(const void *const a, const void *const b) {
  return strcmp(((const tarei_rounding *)a)->layer, ((const tarei_rounding *)b)->layer);
}

tare_status tarei_table_sort_roundings(tare_table *const table, const char *const what,
                                       tare_error *const err) {
  tarei_rounding *const all = table->roundings;
  if (table->n_roundings) {
    qsort(all, (size_t)table->n_roundings, sizeof *all, rounding_by_layer);
  }
  for (int i = 1; i < table->n_roundings; i++) {
    if (rounding_by_layer(&all[i - 1], &all[i]) == 0) {
      return tarei_fail(err, TARE_E_INPUT, "%s: duplicate rounding of layer '%s'", what,
                        all[i].layer);
    }
  }
  return TARE_OK;
}

const tarei_rounding *tarei_table_find_rounding(const tare_table *const table,
                                                const char *const layer) {
  const tarei_rounding key = {.layer = (char *)layer};
  return table->n_roundings ? bsearch(&key, table->roundings, (size_t)table->n_roundings,
                                      sizeof key, rounding_by_layer)
                            : NULL;
}
