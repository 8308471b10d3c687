#include "graph/quantize/layer_index.h"

#include <string.h>

#include "base/mem.h"
#include "graph/passes/rewrite.h"

/* The next name in that of a layer "a + b", cut out of a copy of it; NULL behind the last. */
static const char *next_layer_name(const char *const layer, char *const copy,
                                   const char **const at) {
  size_t length;
  const char *const part = tarei_next_origin(at, &length);
  if (!part) {
    return NULL;
  }
  copy[part - layer + (ptrdiff_t)length] = '\0';
  return copy + (part - layer);
}

/* Adds the names of the nodes of which a layer "a + b" consists. The first layer with a name has
 * it. */
static tare_status add_layer_names(tarei_layer_index *const index, const int item,
                                   tare_error *const err) {
  const char *const layer = tarei_named_at(index->list, item);
  char *const text = index->texts[item] = tarei_strdup(layer);
  const char *name;
  bool ok = text != NULL;
  for (const char *at = layer; ok && (name = next_layer_name(layer, text, &at)) != NULL;) {
    if (tarei_names_find(&index->nodes, name) < 0) {
      ok = tarei_names_grow(&index->nodes);
      if (ok) {
        tarei_names_add(&index->nodes, name, item);
      }
    }
  }
  return ok ? TARE_OK : tarei_fail_memory(err, "layers of a table", strlen(layer));
}

tare_status tarei_layer_index_init(tarei_layer_index *const index, const tarei_named list,
                                   tare_error *const err) {
  const size_t n = (size_t)list.n;
  *index = (tarei_layer_index){.list = list,
                               .texts = tarei_calloc(n, sizeof *index->texts),
                               .unused = tarei_calloc(n, sizeof *index->unused)};
  if (!index->texts || !index->unused || !tarei_names_init(&index->nodes, n)) {
    return tarei_fail_memory(err, "layers of a table", n * sizeof *index->texts);
  }
  for (int i = 0; i < list.n; i++) {
    index->unused[i] = true;
    TAREI_TRY(add_layer_names(index, i, err));
  }
  return TARE_OK;
}

void tarei_layer_index_fini(tarei_layer_index *const index) {
  for (int i = 0; index->texts && i < index->list.n; i++) {
    free(index->texts[i]);
  }
  tarei_names_fini(&index->nodes);
  free(index->texts);
  free(index->unused);
  *index = (tarei_layer_index){0};
}

tare_status tarei_layer_index_find(const tarei_layer_index *const index,
                                   const tarei_node *const node,
                                   tarei_layer_belongs_fn *const belongs_to, const void *const user,
                                   int *const found, bool *const belongs, tare_error *const err) {
  *found = -1;
  *belongs = false;
  if (!index->list.n) {
    return TARE_OK;
  }
  char *const text = tarei_strdup(node->name);
  if (!text) {
    return tarei_fail_memory(err, "layers of a table", strlen(node->name));
  }
  const char *name;
  for (const char *at = node->name; !*belongs && (name = next_layer_name(node->name, text, &at));) {
    const int item = tarei_names_find(&index->nodes, name);
    if (item >= 0 && item != *found) {
      *belongs =
          belongs_to((const char *)index->list.items + (size_t)item * index->list.size, user);
      *found = *belongs || *found < 0 ? item : *found;
    }
  }
  free(text);
  return TARE_OK;
}
