#include "datasets/items.h"

#include <string.h>

#include "base/mem.h"
#include "datasets/text/text_source.h"

/* A packed item: what hardly changes comes first, and the line last. */
enum { HAS_LABEL = 1, HAS_SEGMENT = 2, IS_CUT = 4, IS_ROUNDED = 8 };

void tarei_items_fini(tarei_items *const items) {
  for (size_t i = 0; i < items->n_origins; i++) {
    free(items->origins[i]);
  }
  free(items->origins);
  free(items->counts);
  free(items->ops);
  tarei_bytes_free(&items->scratch);
  tarei_packed_free(&items->packed);
  *items = (tarei_items){0};
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

/* Its number, counted from 1; 0: none. The latest is looked for first. */
static size_t number_of_origin(const tarei_items *const items, const char *const origin) {
  size_t i = origin ? items->n_origins : 0;
  while (i > 0 && items->origins[i - 1] != origin) {
    i--;
  }
  return i;
}

static bool number_of_ops(tarei_items *const items, const tarei_reader_ops *const ops,
                          size_t *const out) {
  for (*out = 0; *out < items->n_ops; ++*out) {
    if (items->ops[*out] == ops) {
      return true;
    }
  }
  if (!TAREI_GROW(items->ops, items->n_ops, items->ops_capacity)) {
    return false;
  }
  items->ops[items->n_ops++] = ops;
  return true;
}

static bool pack_segment(tarei_bytes *const to, const tarei_segment *const s) {
  return tarei_bytes_put_number(to, (uint64_t)s->channel) &&
         tarei_bytes_put_number(to, (uint64_t)s->byte) &&
         (!s->cut || (tarei_bytes_put(to, &s->start, sizeof s->start) &&
                      tarei_bytes_put(to, &s->length, sizeof s->length)));
}

static bool pack_item(tarei_items *const items, const tarei_item *const item,
                      const tarei_reader_ops *const ops) {
  const tarei_segment *const s = &item->segment;
  const bool part = s->cut || s->channel || s->byte;
  const unsigned flags = (item->label_text ? HAS_LABEL : 0u) | (part ? HAS_SEGMENT : 0u) |
                         (s->cut ? IS_CUT : 0u) | (s->rounded ? IS_ROUNDED : 0u);
  tarei_bytes *const to = &items->scratch;
  size_t number;
  to->n = 0;
  return number_of_ops(items, ops, &number) && tarei_bytes_put_number(to, flags) &&
         tarei_bytes_put_number(to, number) &&
         tarei_bytes_put_number(to, number_of_origin(items, item->origin)) &&
         tarei_bytes_put(to, item->path, strlen(item->path) + 1) &&
         (!item->label_text ||
          tarei_bytes_put(to, item->label_text, strlen(item->label_text) + 1)) &&
         (!part || pack_segment(to, s)) && tarei_bytes_put_number(to, (uint64_t)item->line);
}

const tarei_reader_ops *tarei_items_reader(const tarei_items *const items, const char *const path) {
  return items->texts && tarei_text_source_named(path) ? &tarei_reader_text
                                                       : tarei_reader_for(path);
}

tare_status tarei_items_add(tarei_items *const items, const tarei_item *const item,
                            tare_error *const err) {
  if (!pack_item(items, item, item->ops ? item->ops : tarei_items_reader(items, item->path)) ||
      !tarei_packed_add(&items->packed, items->scratch.data, items->scratch.n)) {
    return tarei_fail_memory(err, item->path, strlen(item->path));
  }
  items->n++;
  return TARE_OK;
}

tare_status tarei_items_set_count(tarei_items *const items, const size_t i, const int64_t count,
                                  const bool audio, tare_error *const err) {
  if (!TAREI_GROW(items->counts, items->n_counts, items->counts_capacity)) {
    return tarei_fail_memory(err, "counts of samples", items->n_counts * sizeof *items->counts);
  }
  items->counts[items->n_counts++] = (tarei_item_count){i, count, audio};
  return TARE_OK;
}

void tarei_item_view_fini(tarei_item_view *const view) {
  tarei_unpacked_free(&view->packed);
  *view = (tarei_item_view){0};
}

tare_status tarei_items_reserve(const tarei_items *const items, tarei_item_view *const view,
                                tare_error *const err) {
  return tarei_packed_reserve(&items->packed, &view->packed)
             ? TARE_OK
             : tarei_fail_memory(err, "name of a file", items->packed.longest);
}

static const char *unpack_text(const uint8_t **const at) {
  const char *const text = (const char *)*at;
  *at += strlen(text) + 1;
  return text;
}

static tarei_segment unpack_segment(const unsigned flags, const uint8_t **const at) {
  tarei_segment s = {.cut = (flags & IS_CUT) != 0, .rounded = (flags & IS_ROUNDED) != 0};
  if (flags & HAS_SEGMENT) {
    s.channel = (int)tarei_bytes_take_number(at);
    s.byte = (int64_t)tarei_bytes_take_number(at);
  }
  if (s.cut) {
    tarei_bytes_take(at, &s.start, sizeof s.start);
    tarei_bytes_take(at, &s.length, sizeof s.length);
  }
  return s;
}

static int counts_by_item(const void *const a, const void *const b) {
  const size_t x = ((const tarei_item_count *)a)->item, y = ((const tarei_item_count *)b)->item;
  return x < y ? -1 : x > y;
}

static void unpack_item(const tarei_items *const items, const uint8_t *at, const size_t i,
                        tarei_item *const out) {
  const unsigned flags = (unsigned)tarei_bytes_take_number(&at);
  out->ops = items->ops[tarei_bytes_take_number(&at)];
  const size_t origin = tarei_bytes_take_number(&at);
  out->origin = origin ? items->origins[origin - 1] : NULL;
  out->path = unpack_text(&at);
  out->label_text = flags & HAS_LABEL ? unpack_text(&at) : NULL;
  out->segment = unpack_segment(flags, &at);
  out->line = (int64_t)tarei_bytes_take_number(&at);
  const tarei_item_count key = {.item = i};
  const tarei_item_count *const found =
      items->n_counts ? bsearch(&key, items->counts, items->n_counts, sizeof key, counts_by_item)
                      : NULL;
  out->count = found ? found->count : 1;
  out->audio = found ? found->audio : out->ops->has_rate;
}

tare_status tarei_items_get(const tarei_items *const items, const size_t i,
                            tarei_item_view *const view, tare_error *const err) {
  if (!tarei_packed_get(&items->packed, i, &view->packed)) {
    return tarei_fail_memory(err, "name of a file", items->packed.longest);
  }
  unpack_item(items, view->packed.bytes.data, i, &view->item);
  return TARE_OK;
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
