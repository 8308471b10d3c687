/* Lists of layers with a number for each of their channels (layer_numbers.inc). */
#ifndef TAREI_GRAPH_TABLE_LAYER_NUMBERS_H
#define TAREI_GRAPH_TABLE_LAYER_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "graph/table/extras.h"

/* A layer with a number for each of its channels. */
typedef struct tarei_layer_numbers {
  char *layer;
  int64_t n;     /* channels */
  uint64_t hash; /* of the float weights */
  float *values; /* [n] */
  tarei_extras extras;
} tarei_layer_numbers;

typedef struct tarei_numbers {
  tarei_layer_numbers *items; /* sorted by layer */
  int n;
  size_t cap;
} tarei_numbers;

typedef enum tarei_numbers_kind {
#define TAREI_LAYER_NUMBERS(ID, member, key, noun) TAREI_NUMBERS_##ID,
#include "graph/table/layer_numbers.inc"
#undef TAREI_LAYER_NUMBERS
  TAREI_NUMBERS_COUNT
} tarei_numbers_kind;

typedef struct tarei_numbers_about {
  const char *member, *key, *noun;
} tarei_numbers_about;

const tarei_numbers_about *tarei_numbers_about_of(tarei_numbers_kind kind);

/* Whether files may have such a number: TAREI_NUMBERS_CLIPPING are scales. `rule` receives what
 * must hold. */
bool tarei_numbers_accept(tarei_numbers_kind kind, double value, const char **rule);

/* Adds a layer with a copy of values[n]. `hash` is that of its float weights
 * (tarei_weight_view_hash). */
tare_status tarei_numbers_add(tarei_numbers *list, const char *layer, int64_t n, uint64_t hash,
                              const float *values, tare_error *err);
void tarei_numbers_remove(tarei_numbers *list, int i);
/* Adds copies of the layers of all kinds. */
tare_status tarei_numbers_copy_all(tarei_numbers *lists, const tarei_numbers *from,
                                   tare_error *err);
void tarei_numbers_fini_all(tarei_numbers *lists);

#endif
