#include <stdlib.h>
#include <tare/evidence.h>

#include "base/mem.h"
#include "calib/evidence/suspects.h"
#include "calib/table_warnings.h"
#include "graph/quantize/row_need.h"

typedef struct warning_item {
  tare_warning shown;
  const char **names;
  size_t cap;
  tarei_name_list list;
  tarei_str text;
} warning_item;

struct tare_warnings {
  warning_item *items;
  size_t n, cap;
};

static bool warning_add_name(warning_item *const item, const char *const name) {
  if (!TAREI_GROW(item->names, (size_t)item->shown.n_names, item->cap)) {
    return false;
  }
  item->names[item->shown.n_names++] = name;
  tarei_name_list_add(&item->list, name);
  return true;
}

static void warning_fini(warning_item *const item) {
  free(item->names);
  tarei_str_free(&item->list.names);
  tarei_str_free(&item->text);
}

/* Takes the item, if it names anything. */
static tare_status warnings_take(tare_warnings *const w, warning_item *const item,
                                 tare_error *const err) {
  if (item->shown.n_names == 0) {
    return TARE_OK;
  }
  if (item->text.failed || item->list.names.failed || !TAREI_GROW(w->items, w->n, w->cap)) {
    warning_fini(item);
    return tarei_fail_memory(err, "warnings", sizeof *item);
  }
  w->items[w->n] = *item;
  warning_item *const kept = &w->items[w->n++];
  kept->shown.names = kept->names;
  kept->shown.text = tarei_str_get(&kept->text);
  return TARE_OK;
}

static tare_status warnings_add_suspicion(tare_warnings *const w, const tare_stats *const stats,
                                          const tarei_suspicion *const s, tare_error *const err) {
  warning_item item = {.shown = {.kind = s->kind, .usual = s->usual}};
  for (int t = 0; t < stats->n_tensors; t++) {
    const tarei_stats_tensor *const tensor = &stats->tensors[t];
    if (s->holds(tensor, stats->n_profiles) && !warning_add_name(&item, tensor->name)) {
      warning_fini(&item);
      return tarei_fail_memory(err, "warnings", sizeof item);
    }
  }
  tarei_str_add(&item.text, "tensors that %s (%d): %s: %s", s->what, item.shown.n_names,
                tarei_str_get(&item.list.names), s->remedy);
  if (item.shown.n_names == 0) {
    warning_fini(&item);
  }
  return warnings_take(w, &item, err);
}

static tare_status warnings_add_profile(tare_warnings *const w,
                                        const tarei_stats_profile *const profile, const int number,
                                        tare_error *const err) {
  warning_item item = {.shown = {.kind = profile->n_samples ? "few_samples" : "no_samples"}};
  if (profile->n_samples >= TAREI_ENOUGH_SAMPLES) {
    return TARE_OK;
  }
  if (!warning_add_name(&item, profile->spec)) {
    return tarei_fail_memory(err, "warnings", sizeof item);
  }
  tarei_str_add(&item.text,
                "profile %d (%s) has %lld sample%s (expected %d or more; a batch is one): add data of "
                "these lengths, or join it with another profile",
                number, profile->spec, (long long)profile->n_samples,
                profile->n_samples == 1 ? "" : "s", TAREI_ENOUGH_SAMPLES);
  return warnings_take(w, &item, err);
}

static tare_status warnings_find(tare_warnings *const w, const tare_stats *const stats,
                                 tare_error *const err) {
  for (int p = 0; p < stats->n_profiles; p++) {
    TAREI_TRY(warnings_add_profile(w, &stats->profiles[p], p, err));
  }
  for (int i = 0; tarei_suspicion_at(i); i++) {
    TAREI_TRY(warnings_add_suspicion(w, stats, tarei_suspicion_at(i), err));
  }
  return TARE_OK;
}

tare_status tare_stats_warnings(const tare_stats *const stats, tare_warnings **const out,
                                tare_error *const err) {
  *out = tarei_calloc(1, sizeof **out);
  if (!*out) {
    return tarei_fail_memory(err, "warnings", sizeof **out);
  }
  const tare_status status = warnings_find(*out, stats, err);
  if (status != TARE_OK) {
    tare_warnings_free(out);
  }
  return status;
}

void tare_warnings_free(tare_warnings **const handle) {
  tare_warnings *const w = *handle;
  for (size_t i = 0; w && i < w->n; i++) {
    warning_fini(&w->items[i]);
  }
  if (w) {
    free(w->items);
  }
  free(w);
  *handle = NULL;
}

int tare_warnings_count(const tare_warnings *const warnings) {
  return (int)warnings->n;
}

const tare_warning *tare_warnings_get(const tare_warnings *const warnings, const int i) {
  if (!tarei_has_number(i, (int64_t)warnings->n)) {
    return NULL;
  }
  return &warnings->items[i].shown;
}
