#include "graph/table/rounding.h"

#include "base/mem.h"

size_t tarei_rounding_bytes(const int64_t n, const int64_t k) {
  int64_t bits = 0;
  return n > 0 && k > 0 && tarei_mul_i64(n, k, &bits) && bits <= INT64_MAX - 7
             ? (size_t)((bits + 7) / 8)
             : 0;
}

void tarei_roundings_fini(tarei_roundings *const list) {
  for (int i = 0; i < list->n; i++) {
    free(list->items[i].layer);
    free(list->items[i].up);
  }
  free(list->items);
  *list = (tarei_roundings){0};
}

static tare_status rounding_fill(tarei_rounding *const to, const char *const layer,
                                 const uint8_t *const up, tare_error *const err) {
  const size_t bytes = tarei_rounding_bytes(to->n, to->k);
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

tare_status tarei_roundings_add(tarei_roundings *const list, const char *const layer,
                                const int64_t n, const int64_t k, const uint64_t hash,
                                const uint8_t *const up, tare_error *const err) {
  if (!TAREI_GROW(list->items, list->n, list->cap)) {
    return tarei_fail_memory(err, "roundings of weights", sizeof *list->items);
  }
  tarei_rounding *const rounding = &list->items[list->n++];
  *rounding = (tarei_rounding){.n = n, .k = k, .hash = hash};
  return rounding_fill(rounding, layer, up, err);
}

tare_status tarei_roundings_copy(tarei_roundings *const list, const tarei_rounding *const r,
                                 tare_error *const err) {
  return tarei_roundings_add(list, r->layer, r->n, r->k, r->hash, r->up, err);
}
