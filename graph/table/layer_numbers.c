#include "graph/table/layer_numbers.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"

static const tarei_numbers_about ABOUT[] = {
#define TAREI_LAYER_NUMBERS(ID, member, key, noun) [TAREI_NUMBERS_##ID] = {member, key, noun},
#include "graph/table/layer_numbers.inc"
#undef TAREI_LAYER_NUMBERS
};

const tarei_numbers_about *tarei_numbers_about_of(const tarei_numbers_kind kind) {
  return &ABOUT[kind];
}

bool tarei_numbers_accept(const tarei_numbers_kind kind, const double value,
                          const char **const rule) {
  const bool scale = kind == TAREI_NUMBERS_CLIPPING;
  *rule =
      scale ? "must be positive normal float32 numbers" : "must be numbers that a float32 holds";
  return isfinite((float)value) && (!scale || (float)value >= FLT_MIN);
}

static void numbers_fini(tarei_numbers *const list) {
  for (int i = 0; i < list->n; i++) {
    free(list->items[i].layer);
    free(list->items[i].values);
  }
  free(list->items);
  *list = (tarei_numbers){0};
}

void tarei_numbers_fini_all(tarei_numbers *const lists) {
  for (int k = 0; k < TAREI_NUMBERS_COUNT; k++) {
    numbers_fini(&lists[k]);
  }
}

tare_status tarei_numbers_add(tarei_numbers *const list, const char *const layer, const int64_t n,
                              const uint64_t hash, const float *const values,
                              tare_error *const err) {
  const size_t bytes = (size_t)n * sizeof *values;
  if (!TAREI_GROW(list->items, list->n, list->cap)) {
    return tarei_fail_memory(err, "numbers of layers", sizeof *list->items);
  }
  tarei_layer_numbers *const to = &list->items[list->n++];
  *to = (tarei_layer_numbers){
      .layer = tarei_strdup(layer), .n = n, .hash = hash, .values = tarei_memdup(values, bytes)};
  return to->layer && to->values ? TARE_OK : tarei_fail_memory(err, "numbers of a layer", bytes);
}

void tarei_numbers_remove(tarei_numbers *const list, const int i) {
  free(list->items[i].layer);
  free(list->items[i].values);
  memmove(&list->items[i], &list->items[i + 1], (size_t)(list->n - i - 1) * sizeof *list->items);
  list->n--;
}

tare_status tarei_numbers_copy_all(tarei_numbers *const lists, const tarei_numbers *const from,
                                   tare_error *const err) {
  for (int k = 0; k < TAREI_NUMBERS_COUNT; k++) {
    for (int i = 0; i < from[k].n; i++) {
      const tarei_layer_numbers *const l = &from[k].items[i];
      TAREI_TRY(tarei_numbers_add(&lists[k], l->layer, l->n, l->hash, l->values, err));
    }
  }
  return TARE_OK;
}
