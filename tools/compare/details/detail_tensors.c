/* Tensors: where the methods disagree, and where ranges follow the length. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/compare/details/details.h"

enum { SHOWN_HISTOGRAMS = 12, SHOWN_RANGES = 6 };

/* A tensor, and how much it matters. */
typedef struct tensor_place {
  int tensor;
  double first, second; /* the larger, the more; ties by the second */
} tensor_place;

static int tensor_places_order(const void *const a, const void *const b) {
  const tensor_place *const x = a, *const y = b;
  if (x->first != y->first) {
    return x->first > y->first ? -1 : 1;
  }
  if (x->second != y->second) {
    return x->second > y->second ? -1 : 1;
  }
  return x->tensor - y->tensor;
}

/* The entry of a tensor in the merged table of a strategy of this calibration; false if there is
 * none. */
static bool tensor_entry(const grid_strategy *const s, const int pass, const char *const tensor,
                         tare_table_entry *const out) {
  if (s->pass != pass || s->per_profile || !s->table) {
    return false;
  }
  const int i = tare_table_find(s->table, tensor);
  if (i >= 0) {
    *out = tare_table_get(s->table, i, 0);
  }
  return i >= 0 && out->amax > 0;
}

/* Ratio of the largest to the smallest threshold. */
static double threshold_spread(const grid *const g, const int pass, const char *const tensor) {
  double least = INFINITY, most = 0;
  tare_table_entry entry;
  for (int i = 0; i < g->n; i++) {
    if (tensor_entry(&g->items[i], pass, tensor, &entry)) {
      least = fmin(least, entry.amax);
      most = fmax(most, entry.amax);
    }
  }
  return most > 0 ? most / least : 0;
}

static void thresholds_json(cJSON *const item, const grid *const g, const int pass,
                            const char *const tensor) {
  cJSON *const list = json_add(item, "thresholds", json_array());
  tare_table_entry entry;
  for (int i = 0; i < g->n; i++) {
    if (g->items[i].precision == g->items[0].precision && /* others have the same table */
        tensor_entry(&g->items[i], pass, tensor, &entry)) {
      cJSON *const one = json_add(list, NULL, json_object());
      json_text(one, "method", g->items[i].method);
      json_real(one, "amax", entry.amax);
      json_real(one, "energy_lost", entry.energy_lost);
    }
  }
}

static void detail_histogram_json(cJSON *const item, const tare_histogram *const h) {
  cJSON *const histogram = json_add(item, "histogram", json_object());
  json_real(histogram, "low", h->low);
  json_real(histogram, "width", h->width);
  cJSON *const counts = json_add(histogram, "counts", json_array());
  for (int i = 0; i < h->n_bins; i++) {
    json_int(counts, NULL, h->counts[i]);
  }
}

static double entry_amax(const tare_stats_entry *const e) {
  return fmax(fabs(e->min), fabs(e->max)); /* NAN without values */
}

/* Over all profiles. */
static tare_stats_entry tensor_range(const tare_stats *const stats, const int tensor) {
  tare_stats_entry all = tare_stats_get(stats, tensor, 0);
  for (int p = 1; p < tare_stats_n_profiles(stats); p++) {
    const tare_stats_entry e = tare_stats_get(stats, tensor, p);
    all.min = fmin(all.min, e.min); /* the other where one is NAN */
    all.max = fmax(all.max, e.max);
    all.static_loss = fmax(all.static_loss, e.static_loss);
    all.count += e.count;
  }
  return all;
}

static tensor_place place_by_thresholds(const tare_stats *const stats, const int tensor,
                                        const grid *const g, const int pass) {
  const tare_stats_entry range = tensor_range(stats, tensor);
  return (tensor_place){tensor, threshold_spread(g, pass, range.tensor),
                        isnan(range.static_loss) ? 0 : range.static_loss};
}

/* Ratio of the largest to the smallest range of the profiles that have data; 0 if only one has. */
static tensor_place place_by_range(const tare_stats *const stats, const int tensor) {
  double least = INFINITY, most = 0;
  int n = 0;
  for (int p = 0; p < tare_stats_n_profiles(stats); p++) {
    const tare_stats_entry e = tare_stats_get(stats, tensor, p);
    const double amax = entry_amax(&e);
    if (amax > 0) {
      least = fmin(least, amax);
      most = fmax(most, amax);
      n++;
    }
  }
  return (tensor_place){tensor, n > 1 ? most / least : 0, most};
}

static int count_live(const tensor_place *const places, const int n) {
  int live = 0;
  while (live < n && places[live].first > 0) {
    live++;
  }
  return live;
}

static tare_status detail_tensors_json(cJSON *const list, const tare_stats *const stats,
                                       const tensor_place *const places, const int n,
                                       const grid *const g, const int pass, tare_error *const err) {
  for (int i = 0; i < n; i++) {
    tare_histogram h;
    CLI_TRY(tare_stats_histogram(stats, places[i].tensor, &h, err));
    const tare_stats_entry range = tensor_range(stats, places[i].tensor);
    cJSON *const item = json_add(list, NULL, json_object());
    json_text(item, "name", range.tensor);
    json_int(item, "count", range.count);
    json_real(item, "min", range.min);
    json_real(item, "max", range.max);
    thresholds_json(item, g, pass, range.tensor);
    detail_histogram_json(item, &h);
  }
  return TARE_OK;
}

static void ranges_json(cJSON *const list, const tare_stats *const stats,
                        const tensor_place *const places, const int n) {
  for (int i = 0; i < n; i++) {
    cJSON *const item = json_add(list, NULL, json_object());
    json_text(item, "name", tare_stats_get(stats, places[i].tensor, 0).tensor);
    cJSON *const profiles = json_add(item, "profiles", json_array());
    for (int p = 0; p < tare_stats_n_profiles(stats); p++) {
      const tare_stats_entry e = tare_stats_get(stats, places[i].tensor, p);
      cJSON *const range = json_add(profiles, NULL, json_object());
      json_real(range, "min", e.min);
      json_real(range, "max", e.max);
      json_int(range, "samples", e.n_samples);
    }
  }
}

/* Adds of which calibration, of how many tensors, and the list for those that are shown. */
static cJSON *begin_tensors(cJSON **const out, const grid_pass *const pass, const int total) {
  *out = json_object();
  json_text(*out, "fit", tare_fit_name(pass->fit));
  json_bool(*out, "padding_counted", pass->count_padding);
  json_int(*out, "total", total);
  return json_add(*out, "items", json_array());
}

tare_status details_take_tensors(compare_details *const details, const tare_stats *const stats,
                                 const grid *const g, const int pass, tare_error *const err) {
  const int n = tare_stats_n_tensors(stats);
  tensor_place *const places = cli_realloc(NULL, (size_t)n + 1, sizeof *places);
  for (int t = 0; t < n; t++) {
    places[t] = place_by_range(stats, t);
  }
  qsort(places, (size_t)n, sizeof *places, tensor_places_order);
  int live = count_live(places, n);
  if (live > 0) {
    cJSON *const list = begin_tensors(&details->ranges, &g->passes[pass], live);
    ranges_json(list, stats, places, live < SHOWN_RANGES ? live : SHOWN_RANGES);
  }
  for (int t = 0; t < n; t++) {
    places[t] = place_by_thresholds(stats, t, g, pass);
  }
  qsort(places, (size_t)n, sizeof *places, tensor_places_order);
  live = count_live(places, n);
  cJSON *const list = begin_tensors(&details->tensors, &g->passes[pass], live);
  const tare_status status = detail_tensors_json(
      list, stats, places, live < SHOWN_HISTOGRAMS ? live : SHOWN_HISTOGRAMS, g, pass, err);
  free(places);
  return status;
}
