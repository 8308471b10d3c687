#include "tools/show/layer_match.h"

#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"

/* A name that layers of a plan can be found by. */
typedef struct layer_key {
  const char *name;
  int layer;
} layer_key;

typedef struct layer_index {
  layer_key *keys; /* sorted by name, then by layer */
  size_t n;
} layer_index;

static int layer_key_order(const void *const a, const void *const b) {
  const layer_key *const x = a, *const y = b;
  const int by_name = strcmp(x->name, y->name);
  return by_name ? by_name : x->layer - y->layer;
}

static void layer_index_add(layer_index *const index, const char *const name, const int layer) {
  index->keys = cli_realloc(index->keys, index->n + 1, sizeof *index->keys);
  index->keys[index->n++] = (layer_key){name, layer};
}

/* By the names of the layers, or by those of the nodes in them. */
static layer_index layer_index_of(const tare_plan *const plan, const bool by_node) {
  layer_index index = {0};
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    if (!by_node) {
      layer_index_add(&index, layer.name, i);
    }
    for (int o = 0; by_node && o < layer.n_origins; o++) {
      layer_index_add(&index, layer.origins[o], i);
    }
  }
  if (index.n) {
    qsort(index.keys, index.n, sizeof *index.keys, layer_key_order);
  }
  return index;
}

/* The first layer of this name that has no pair yet, or -1. */
static int layer_index_find(const layer_index *const index, const char *const name,
                            const bool *const taken) {
  size_t low = 0, high = index->n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (strcmp(index->keys[middle].name, name) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  for (; low < index->n && strcmp(index->keys[low].name, name) == 0; low++) {
    if (!taken[index->keys[low].layer]) {
      return index->keys[low].layer;
    }
  }
  return -1;
}

static int layer_match_by_node(const layer_index *const nodes, const tare_layer *const layer,
                               const bool *const taken) {
  for (int o = 0; o < layer->n_origins; o++) {
    const int found = layer_index_find(nodes, layer->origins[o], taken);
    if (found >= 0) {
      return found;
    }
  }
  return -1;
}

static void layer_match_pass(const tare_plan *const a, const layer_index *const index,
                             const bool by_node, layer_pair *const pairs, bool *const taken) {
  for (int i = 0; i < tare_plan_n_layers(a); i++) {
    const tare_layer layer = tare_plan_layer(a, i);
    if (pairs[i].b < 0) {
      pairs[i].b = by_node ? layer_match_by_node(index, &layer, taken)
                           : layer_index_find(index, layer.name, taken);
    }
    if (pairs[i].b >= 0) {
      taken[pairs[i].b] = true;
    }
  }
}

layer_pair *layers_match(const tare_plan *const a, const tare_plan *const b, int *const n) {
  const int n_a = tare_plan_n_layers(a), n_b = tare_plan_n_layers(b);
  layer_pair *const pairs = cli_realloc(NULL, (size_t)n_a + (size_t)n_b, sizeof *pairs);
  bool *const taken = cli_realloc(NULL, (size_t)n_b, sizeof *taken);
  memset(taken, 0, (size_t)n_b * sizeof *taken);
  for (int i = 0; i < n_a; i++) {
    pairs[i] = (layer_pair){.a = i, .b = -1};
  }
  for (int by_node = 0; by_node < 2; by_node++) {
    layer_index index = layer_index_of(b, by_node);
    layer_match_pass(a, &index, by_node, pairs, taken);
    free(index.keys);
  }
  *n = n_a;
  for (int i = 0; i < n_b; i++) {
    if (!taken[i]) {
      pairs[(*n)++] = (layer_pair){.a = -1, .b = i};
    }
  }
  free(taken);
  return pairs;
}
