#include "datasets/lists/list.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "datasets/extension.h"

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

static bool is_time(const double seconds) {
  return isfinite(seconds) && seconds >= 0 && seconds <= TAREI_SEGMENT_SECONDS;
}

/* Only a recording has times and channels. */
static tare_status check_segment(const tarei_item *const item, tare_error *const err) {
  const tarei_segment *const s = &item->segment;
  if (!s->cut && !s->channel) {
    return TARE_OK;
  }
  if (!item->ops->has_rate) {
    return tarei_fail(err, TARE_E_INPUT, "%s line %lld: %s is not audio, and has no times",
                      item->origin, (long long)item->line, item->path);
  }
  if (!is_time(s->start) || !is_time(s->length)) {
    return tarei_fail(err, TARE_E_INPUT,
                      "%s line %lld: the part begins at %g s and lasts %g s: expected 0 to %d s",
                      item->origin, (long long)item->line, s->start, s->length,
                      TAREI_SEGMENT_SECONDS);
  }
  return TARE_OK;
}

tare_status tarei_list_add(tarei_items *const items, const tarei_item *const item,
                           tare_error *const err) {
  if (item->path[0] == '\0') {
    return tarei_fail(err, TARE_E_INPUT, "%s line %lld: the path is empty", item->origin,
                      (long long)item->line);
  }
  char *const full = tarei_path_beside(item->origin, item->path);
  if (!full) {
    return tarei_fail_memory(err, item->origin, strlen(item->path));
  }
  tarei_item named = *item;
  named.path = full;
  named.ops = item->ops ? item->ops : tarei_items_reader(items, full);
  tare_status status = check_segment(&named, err);
  if (status == TARE_OK) {
    status = tarei_items_add(items, &named, err);
  }
  free(full);
  return status;
}
