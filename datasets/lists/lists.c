#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "datasets/lists/list.h"

static const tarei_sample_list *const LISTS[] = {
#define TAREI_LIST(name) &tarei_list_##name,
#include "datasets/lists/lists.inc"
#undef TAREI_LIST
};
enum { N_LISTS = sizeof LISTS / sizeof *LISTS };

static bool has_name(const char *const path, const char *const *const names) {
  const char *const slash = strrchr(path, '/');
  for (int i = 0; names && names[i]; i++) {
    if (strcmp(slash ? slash + 1 : path, names[i]) == 0) {
      return true;
    }
  }
  return false;
}

const tarei_sample_list *tarei_list_named(const char *const path) {
  for (int i = 0; i < N_LISTS; i++) {
    if (tarei_has_extension(path, LISTS[i]->extensions) || has_name(path, LISTS[i]->names)) {
      return LISTS[i];
    }
  }
  return NULL;
}

const tarei_sample_list *tarei_list_recognizing(const char *const path) {
  for (int i = 0; i < N_LISTS; i++) {
    if (LISTS[i]->recognises && LISTS[i]->recognises(path)) {
      return LISTS[i];
    }
  }
  return NULL;
}

tare_status tarei_list_add(tarei_items *const items, const char *const origin, const int64_t line,
                           const char *const path, const char *const label_text,
                           tare_error *const err) {
  if (path[0] == '\0') {
    return tarei_fail(err, TARE_E_INPUT, "%s line %lld: the path is empty", origin,
                      (long long)line);
  }
  char *const full = tarei_path_beside(origin, path);
  if (!full) {
    return tarei_fail_memory(err, origin, strlen(path));
  }
  const tare_status status = tarei_items_add(items, full, label_text, origin, line, err);
  free(full);
  return status;
}

static bool is_time(const double seconds) {
  return isfinite(seconds) && seconds >= 0 && seconds <= TAREI_SEGMENT_SECONDS;
}

tare_status tarei_list_cut(tarei_items *const items, const tarei_segment *const segment,
                           tare_error *const err) {
  const tarei_item *const item = tarei_items_last(items);
  if (!item->ops->has_rate) {
    return tarei_fail(err, TARE_E_INPUT, "%s line %lld: %s is not audio, and has no times",
                      item->origin, (long long)item->line, item->path);
  }
  if (!is_time(segment->start) || !is_time(segment->length)) {
    return tarei_fail(err, TARE_E_INPUT,
                      "%s line %lld: the part begins at %g s and lasts %g s: expected 0 to %d s",
                      item->origin, (long long)item->line, segment->start, segment->length,
                      TAREI_SEGMENT_SECONDS);
  }
  return tarei_items_cut(items, segment, err);
}
