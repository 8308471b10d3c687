/* Lists: one path per line, relative to the list. */
#include <string.h>

#include "base/mem.h"
#include "base/source.h"
#include "datasets/lists/list.h"

static tare_status text_add_lines(tarei_items *const items, const tarei_source *const source,
                                  const char *const origin, tare_error *const err) {
  const char *at = (const char *)source->data;
  const char *const end = at + source->size;
  for (int64_t line = 1; at < end; line++) {
    const char *const newline = memchr(at, '\n', (size_t)(end - at));
    const char *stop = newline ? newline : end;
    const char *const next = newline ? newline + 1 : end;
    stop -= stop > at && stop[-1] == '\r';
    if (memchr(at, '\0', (size_t)(stop - at))) {
      return tarei_fail(err, TARE_E_INPUT, "%s line %lld: holds a NUL byte", origin,
                        (long long)line);
    }
    char *const path = tarei_strndup(at, (size_t)(stop - at));
    if (!path) {
      return tarei_fail_memory(err, origin, (size_t)(stop - at));
    }
    const tare_status status =
        path[0] ? tarei_list_add(items, &(tarei_item){.path = path, .origin = origin, .line = line},
                                 err)
                : TARE_OK;
    free(path);
    TAREI_TRY(status);
    at = next;
  }
  return TARE_OK;
}

static tare_status text_expand(tarei_items *const items, const char *const path,
                               const tarei_data_spec *const spec, tare_error *const err) {
  (void)spec; /* a list has no labels */
  const size_t before = items->n;
  const char *const origin = tarei_items_keep_origin(items, path);
  if (!origin) {
    return tarei_fail_memory(err, path, strlen(path));
  }
  tarei_source source;
  TAREI_TRY(tarei_source_open(path, &source, err));
  tare_status status = text_add_lines(items, &source, origin, err);
  tarei_source_close(&source);
  if (status == TARE_OK && items->n == before) {
    status = tarei_fail(err, TARE_E_INPUT, "%s: lists no files", path);
  }
  return status;
}

static const char *const EXTENSIONS[] = {"txt", "lst", NULL};

const tarei_sample_list tarei_list_text = {
    .kind = {"a text file", false}, .extensions = EXTENSIONS, .expand = text_expand};
