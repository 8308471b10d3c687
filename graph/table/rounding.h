/* How the int8 weights of a layer are rounded: down or up, decided for each weight from the inputs
 * that calibration saw. */
#ifndef TAREI_GRAPH_TABLE_ROUNDING_H
#define TAREI_GRAPH_TABLE_ROUNDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "graph/table/extras.h"

/* The decisions for one layer. */
typedef struct tarei_rounding {
  char *layer;
  int64_t n, k;  /* output channels, and inputs of each */
  uint64_t hash; /* of the float weights */
  uint8_t *up;   /* bits; those after the last weight are zero */
  tarei_extras extras;
} tarei_rounding;

typedef struct tarei_roundings {
  tarei_rounding *items; /* sorted by layer */
  int n;
  size_t cap;
} tarei_roundings;

/* Bytes of the decisions of n output channels with k inputs each; 0 where there are none, or more
 * than an address space holds. */
size_t tarei_rounding_bytes(int64_t n, int64_t k);

/* Whether the weight of output channel j for input i (graph/quantize/weights/weight_view.h) is
 * rounded up to the next multiple of its channel's scale; otherwise down. */
static inline bool tarei_rounding_is_up(const tarei_rounding *const r, const int64_t j,
                                        const int64_t i) {
  const int64_t bit = j * r->k + i;
  return r->up[bit / 8] >> bit % 8 & 1;
}

/* Adds a rounding with a copy of up[tarei_rounding_bytes(n, k)], in which bit j * k + i, the low
 * bit of a byte first, is that of a weight; the bits after the last one are ignored. `hash` is
 * that of the float weights (tarei_weight_view_hash). */
tare_status tarei_roundings_add(tarei_roundings *list, const char *layer, int64_t n, int64_t k,
                                uint64_t hash, const uint8_t *up, tare_error *err);
/* Adds a copy of one of another list. */
tare_status tarei_roundings_copy(tarei_roundings *list, const tarei_rounding *rounding,
                                 tare_error *err);
void tarei_roundings_fini(tarei_roundings *list);

#endif
