#include "datasets/items.h"

#include <string.h>

#include "base/mem.h"
#include "datasets/text/text_source.h"

void tarei_items_fini(tarei_items *const items) {
  for (size_t i = 0; i < items->n; i++) {
    free(items->items[i].path);
    free(items->items[i].label_text);
    free(items->items[i].segment);
  }
  for (size_t i = 0; i < items->n_origins; i++) {
    free(items->origins[i]);
  }
  free(items->items);
  free(items->origins);
  *items = (tarei_items){0};
}

tare_status tarei_items_add_read(tarei_items *const items, const char *const name,
                                 const tarei_reader_ops *const ops, tare_error *const err) {
  const tarei_item item = {.path = tarei_strdup(name), .ops = ops, .audio = ops->has_rate};
  if (!item.path || !TAREI_GROW(items->items, items->n, items->capacity)) {
    free(item.path);
    return tarei_fail_memory(err, name, strlen(name));
  }
  items->items[items->n++] = item;
  return TARE_OK;
}

tare_status tarei_items_add(tarei_items *const items, const char *const path,
                            const char *const label_text, const char *const origin,
                            const int64_t line, tare_error *const err) {
  const tarei_reader_ops *const ops =
      items->texts && tarei_text_source_named(path) ? &tarei_reader_text : tarei_reader_for(path);
  char *const label = tarei_strdup(label_text);
  if (label_text && !label) {
    return tarei_fail_memory(err, path, strlen(label_text));
  }
  const tare_status status = tarei_items_add_read(items, path, ops, err);
  if (status != TARE_OK) {
    free(label);
    return status;
  }
  tarei_item *const item = tarei_items_last(items);
  item->label_text = label;
  item->origin = origin;
  item->line = line;
  return TARE_OK;
}
tare_status tarei_items_cut(tarei_items *const items, const tarei_segment *const segment,
                            tare_error *const err) {
  tarei_item *const item = tarei_items_last(items);
  if (!item->segment) {
    item->segment = tarei_calloc(1, sizeof *item->segment);
  }
  if (!item->segment) {
    return tarei_fail_memory(err, item->path, sizeof *segment);
  }
  *item->segment = *segment;
  return TARE_OK;
}

tarei_item *tarei_items_last(tarei_items *const items) {
  return &items->items[items->n - 1];
}

const char *tarei_items_keep_origin(tarei_items *const items, const char *const name) {
  char *const copy = tarei_strdup(name);
  if (!copy || !TAREI_GROW(items->origins, items->n_origins, items->origins_capacity)) {
    free(copy);
    return NULL;
  }
  items->origins[items->n_origins++] = copy;
  return copy;
}

char *tarei_path_beside(const char *const base, const char *const path) {
  const char *const slash = strrchr(base, '/');
  if (path[0] == '/' || !slash) {
    return tarei_strdup(path);
  }
  const size_t folder = (size_t)(slash - base) + 1, length = strlen(path);
  char *const joined = tarei_realloc(NULL, folder + length + 1);
  if (joined) {
    memcpy(joined, base, folder);
    memcpy(joined + folder, path, length + 1);
  }
  return joined;
}
