#include "tools/compare/scale_ratios.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"

static const double TWOFOLD = 2, QUARTER_MORE = 1.25;

static int ratio_ascending(const void *const a, const void *const b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The larger by the smaller. */
static double ratio_size(const double ratio) {
  return ratio < 1 ? 1 / ratio : ratio;
}

/* Sorts the values. */
static double ratio_median(double *const values, const int n) {
  if (n == 0) {
    return NAN;
  }
  qsort(values, (size_t)n, sizeof *values, ratio_ascending);
  return values[n / 2];
}

/* --- scales ----------------------------------------------------------------------------------- */

/* The farthest from 1 over all profiles; ratio 0: a column has no scale. */
static scale_ratio ratio_of_tensor(const tare_table *const table, const int tensor,
                                   const tare_table *const base, const int base_tensor) {
  const int n = tare_table_n_profiles(table), n_base = tare_table_n_profiles(base);
  const int columns = n > n_base ? n : n_base;
  scale_ratio out = {.tensor = tare_table_get(table, tensor, 0).tensor, .ratio = 1, .profile = -1};
  for (int p = 0; p < columns; p++) {
    const double amax = tare_table_get(table, tensor, n > 1 ? p : 0).amax;
    const double old = tare_table_get(base, base_tensor, n_base > 1 ? p : 0).amax;
    if (!(amax > 0 && old > 0)) {
      return (scale_ratio){0};
    }
    if (ratio_size(amax / old) > ratio_size(out.ratio)) {
      out.ratio = amax / old;
      out.profile = columns > 1 ? p : -1;
    }
  }
  return out;
}

/* Keeps the list sorted; equal ones stay in the order of the table. */
static void ratios_keep(scale_ratios *const r, const scale_ratio *const one) {
  int at = r->n_most;
  while (at > 0 && ratio_size(one->ratio) > ratio_size(r->most[at - 1].ratio)) {
    at--;
  }
  if (at == SCALE_RATIOS_SHOWN || one->ratio == 1) {
    return;
  }
  const int moved = (r->n_most < SCALE_RATIOS_SHOWN ? r->n_most : SCALE_RATIOS_SHOWN - 1) - at;
  memmove(&r->most[at + 1], &r->most[at], (size_t)moved * sizeof *r->most);
  r->most[at] = *one;
  r->n_most += r->n_most < SCALE_RATIOS_SHOWN;
}

scale_ratios scale_ratios_of(const tare_table *const table, const tare_table *const base) {
  const int n = tare_table_n_tensors(table);
  double *const sizes = cli_realloc(NULL, (size_t)n + 1, sizeof *sizes);
  scale_ratios out = {0};
  for (int t = 0; t < n; t++) {
    const int base_tensor = tare_table_find(base, tare_table_get(table, t, 0).tensor);
    const scale_ratio one =
        base_tensor < 0 ? (scale_ratio){0} : ratio_of_tensor(table, t, base, base_tensor);
    if (one.ratio > 0) {
      sizes[out.tensors++] = ratio_size(one.ratio);
      out.grown += one.ratio > TWOFOLD;
      out.shrunk += one.ratio < 1 / TWOFOLD;
      ratios_keep(&out, &one);
    }
  }
  out.median = ratio_median(sizes, out.tensors);
  out.worst = out.tensors ? sizes[out.tensors - 1] : NAN;
  free(sizes);
  return out;
}

void scale_ratios_json(cJSON *const object, const scale_ratios *const r) {
  json_int(object, "tensors", r->tensors);
  json_int(object, "grown", r->grown);
  json_int(object, "shrunk", r->shrunk);
  json_real(object, "median", r->median);
  json_real(object, "worst", r->worst);
  cJSON *const list = json_add(object, "most", json_array());
  for (int i = 0; i < r->n_most; i++) {
    cJSON *const item = json_add(list, NULL, json_object());
    json_text(item, "tensor", r->most[i].tensor);
    json_real(item, "ratio", r->most[i].ratio);
    json_int(item, "profile", r->most[i].profile);
  }
}

/* --- ranges ----------------------------------------------------------------------------------- */

/* The symbol whose profiles range the farthest; -1 without symbols. */
static int widest_profile_symbol(const tare_profiles *const profiles) {
  int widest = -1;
  double most = 0;
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    double min = INFINITY, max = 0;
    for (int p = 0; p < tare_profiles_count(profiles); p++) {
      const double opt = (double)tare_profiles_range(profiles, p, s).opt;
      min = fmin(min, opt);
      max = fmax(max, opt);
    }
    if (max / fmax(min, 1) > most) {
      most = max / fmax(min, 1);
      widest = s;
    }
  }
  return widest;
}

static double range_amax(const tare_stats_entry *const e) {
  return fmax(-e->min, e->max);
}

static range_drift range_drift_between(const tare_stats *const stats, const int from,
                                       const int to) {
  const int n = tare_stats_n_tensors(stats);
  double *const ratios = cli_realloc(NULL, (size_t)n + 1, sizeof *ratios);
  range_drift out = {0};
  for (int t = 0; t < n; t++) {
    const tare_stats_entry a = tare_stats_get(stats, t, from), b = tare_stats_get(stats, t, to);
    const double ratio = range_amax(&b) / range_amax(&a);
    if (isfinite(ratio) && ratio > 0) {
      ratios[out.tensors++] = ratio;
      out.grown += ratio > QUARTER_MORE;
      out.shrunk += ratio < 1 / QUARTER_MORE;
    }
  }
  out.median = ratio_median(ratios, out.tensors);
  free(ratios);
  return out;
}

range_drift range_drift_of(const tare_stats *const stats, const tare_profiles *const profiles) {
  const int symbol = widest_profile_symbol(profiles);
  int shortest = -1, longest = -1;
  for (int p = 0; symbol >= 0 && p < tare_profiles_count(profiles); p++) {
    if (tare_stats_profile_samples(stats, p) == 0) {
      continue;
    }
    const int64_t opt = tare_profiles_range(profiles, p, symbol).opt;
    if (shortest < 0 || opt < tare_profiles_range(profiles, shortest, symbol).opt) {
      shortest = p;
    }
    if (longest < 0 || opt > tare_profiles_range(profiles, longest, symbol).opt) {
      longest = p;
    }
  }
  return shortest == longest ? (range_drift){.median = NAN}
                             : range_drift_between(stats, shortest, longest);
}
