#include "calib/parts/difference.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "graph/model.h"

typedef struct difference {
  const char *what, *a, *b; /* in the facts; "" for one that is missing */
} difference;

struct tare_stats_differences {
  tarei_settings facts[2];
  difference *items;
  int n;
  size_t cap;
};

static tare_status difference_add_profiles(const tare_stats *const stats, tarei_settings *const out,
                                           tare_error *const err) {
  for (int p = 0; p < stats->n_profiles; p++) {
    char name[32];
    (void)snprintf(name, sizeof name, "profile %d", p);
    TAREI_TRY(tarei_settings_add(out, name, stats->profiles[p].spec, err));
  }
  return TARE_OK;
}

static tare_status difference_add_shards(const tarei_shards *const shards,
                                         tarei_settings *const out, tare_error *const err) {
  tarei_str text = {0};
  for (size_t i = 0; i < shards->n; i++) {
    tarei_str_add(&text, "%s%" PRId64, i ? "," : "", shards->items[i]);
  }
  if (shards->count) {
    tarei_str_add(&text, "/%" PRId64, shards->count);
  }
  const tare_status status = text.failed
                                 ? tarei_fail_memory(err, "shards", text.length)
                                 : tarei_settings_add(out, "shard", tarei_str_get(&text), err);
  tarei_str_free(&text);
  return status;
}

/* All that two runs must have in common, under the names of the options. */
static tare_status add_facts(const tare_stats *const stats, const bool with_shards,
                             tarei_settings *const out, tare_error *const err) {
  char hash[32];
  (void)snprintf(hash, sizeof hash, "%016" PRIx64, stats->model_hash);
  TAREI_TRY(tarei_settings_add(out, "model hash", hash, err));
  TAREI_TRY(tarei_settings_add(out, "fit", tare_fit_name(stats->fit), err));
  TAREI_TRY(tarei_settings_add(out, "pad-stats", stats->counts_padding ? "count" : "exclude", err));
  TAREI_TRY(tarei_settings_add(out, "all-tensors", stats->all_tensors ? "yes" : "", err));
  TAREI_TRY(tarei_settings_add(out, "gain-range", tare_stats_gain_range(stats), err));
  TAREI_TRY(difference_add_profiles(stats, out, err));
  TAREI_TRY(with_shards ? difference_add_shards(&stats->shards, out, err) : TARE_OK);
  for (int i = 0; i < stats->settings.n; i++) {
    const tarei_setting *const s = &stats->settings.items[i];
    TAREI_TRY(tarei_settings_add(out, s->name, s->value, err));
  }
  return TARE_OK;
}

static tare_status add_difference(tare_stats_differences *const d, const tarei_setting *const a,
                                  const tarei_setting *const b, tare_error *const err) {
  if (!TAREI_GROW(d->items, (size_t)d->n, d->cap)) {
    return tarei_fail_memory(err, "differences", sizeof *d->items);
  }
  d->items[d->n++] =
      (difference){.what = a ? a->name : b->name, .a = a ? a->value : "", .b = b ? b->value : ""};
  return TARE_OK;
}

/* Both lists are sorted. */
static tare_status compare_facts(tare_stats_differences *const d, tare_error *const err) {
  const tarei_settings *const x = &d->facts[0], *const y = &d->facts[1];
  for (int i = 0, k = 0; i < x->n || k < y->n;) {
    const tarei_setting *a = i < x->n ? &x->items[i] : NULL;
    const tarei_setting *b = k < y->n ? &y->items[k] : NULL;
    const int order = !a ? 1 : !b ? -1 : strcmp(a->name, b->name);
    a = order <= 0 ? a : NULL;
    b = order >= 0 ? b : NULL;
    if (!a || !b || strcmp(a->value, b->value) != 0) {
      TAREI_TRY(add_difference(d, a, b, err));
    }
    i += a != NULL;
    k += b != NULL;
  }
  return TARE_OK;
}

static tare_status stats_differ(const tare_stats *const a, const tare_stats *const b,
                                const bool with_shards, tare_stats_differences **const out,
                                tare_error *const err) {
  *out = tarei_calloc(1, sizeof **out);
  if (!*out) {
    return tarei_fail_memory(err, "differences", sizeof **out);
  }
  tare_status status = add_facts(a, with_shards, &(*out)->facts[0], err);
  if (status == TARE_OK) {
    status = add_facts(b, with_shards, &(*out)->facts[1], err);
  }
  if (status == TARE_OK) {
    status = compare_facts(*out, err);
  }
  if (status != TARE_OK) {
    tare_stats_differences_free(out);
  }
  return status;
}

tare_status tare_stats_compare(const tare_stats *const a, const tare_stats *const b,
                               tare_stats_differences **const out, tare_error *const err) {
  return stats_differ(a, b, true /* with_shards */, out, err);
}

void tare_stats_differences_free(tare_stats_differences **const handle) {
  tare_stats_differences *const d = *handle;
  if (!d) {
    return;
  }
  tarei_settings_fini(&d->facts[0]);
  tarei_settings_fini(&d->facts[1]);
  free(d->items);
  free(d);
  *handle = NULL;
}

int tare_stats_differences_count(const tare_stats_differences *const differences) {
  return differences->n;
}

const char *tare_stats_difference(const tare_stats_differences *const differences, const int i,
                                  const char **const a, const char **const b) {
  if (i < 0 || i >= differences->n) {
    return NULL;
  }
  *a = differences->items[i].a;
  *b = differences->items[i].b;
  return differences->items[i].what;
}

static const char *difference_value(const char *const text) {
  return *text ? text : "default";
}

tare_status tarei_stats_check_same(const tare_stats *const stats, const tare_stats *const other,
                                   const char *const name, const bool with_shards,
                                   tare_error *const err) {
  tare_stats_differences *d = NULL;
  TAREI_TRY(stats_differ(stats, other, with_shards, &d, err));
  tarei_str text = {0};
  for (int i = 0; i < d->n; i++) {
    tarei_str_add(&text, "%s%s is %s, expected %s", i ? "; " : "", d->items[i].what,
                  difference_value(d->items[i].b), difference_value(d->items[i].a));
  }
  const tare_status status = d->n ? tarei_fail(err, TARE_E_USAGE, "%s belongs to another run: %s",
                                               name, tarei_str_get(&text))
                                  : TARE_OK;
  tarei_str_free(&text);
  tare_stats_differences_free(&d);
  return status;
}

tare_status tarei_stats_check_model(const tare_stats *const stats, const tare_model *const model,
                                    tare_error *const err) {
  const uint64_t hash = model->graph->model_hash;
  const char *const sets = tarei_settings_find(&stats->settings, "set");
  if (stats->model_hash != hash) {
    return tarei_fail(err, TARE_E_USAGE,
                      "the statistics belong to another model: %s with hash %016" PRIx64
                      ", but %s has %016" PRIx64,
                      stats->model_name, stats->model_hash, model->graph->name, hash);
  }
  return strcmp(sets, tarei_str_get(&model->sets)) == 0
             ? TARE_OK
             : tarei_fail(err, TARE_E_USAGE,
                          "inputs set to values are '%s', expected those of the statistics: '%s'",
                          tarei_str_get(&model->sets), sets);
}
