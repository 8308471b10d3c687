#include "calib/stats.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "calib/parts/run_settings.h"
#include "calib/row_loss.h"
#include "graph/table/layer_numbers.h"
#include "graph/table/named.h"
#include "graph/table/smoothing.h"

static bool make_tensors(tare_stats *const stats, const int n_tensors) {
  stats->tensors = tarei_calloc((size_t)n_tensors, sizeof *stats->tensors);
  for (int i = 0; stats->tensors && i < n_tensors; i++) {
    tarei_stats_tensor *const tensor = &stats->tensors[i];
    tensor->buckets = tarei_calloc((size_t)stats->n_profiles, sizeof *tensor->buckets);
    if (!tensor->buckets) {
      return false;
    }
    for (int p = 0; p < stats->n_profiles; p++) {
      tarei_accumulator_init(&tensor->buckets[p]);
    }
    stats->n_tensors++;
  }
  return stats->tensors != NULL;
}

tare_status tarei_stats_new(const int n_profiles, const int n_inputs, const int n_tensors,
                            const int n_aliases, tare_stats **const out, tare_error *const err) {
  assert(n_profiles >= 0 && n_inputs >= 0 && n_tensors >= 0 && n_aliases >= 0);
  *out = NULL;
  tare_stats *stats = tarei_calloc(1, sizeof *stats);
  if (!stats) {
    return tarei_fail_memory(err, "statistics", sizeof *stats);
  }
  stats->n_profiles = n_profiles;
  stats->n_inputs = n_inputs;
  stats->n_aliases = n_aliases;
  stats->profiles = tarei_calloc((size_t)n_profiles, sizeof *stats->profiles);
  stats->inputs = tarei_calloc((size_t)n_inputs, sizeof *stats->inputs);
  stats->aliases = tarei_calloc((size_t)n_aliases, sizeof *stats->aliases);
  if (!stats->profiles || !stats->inputs || !stats->aliases || !make_tensors(stats, n_tensors)) {
    tare_stats_free(&stats);
    return tarei_fail_memory(err, "statistics of tensors",
                             (size_t)n_tensors * sizeof *stats->tensors);
  }
  *out = stats;
  return TARE_OK;
}

static void free_tensor(tarei_stats_tensor *const tensor, const int n_profiles) {
  for (int p = 0; tensor->buckets && p < n_profiles; p++) {
    tarei_accumulator_fini(&tensor->buckets[p]);
  }
  free(tensor->buckets);
  free(tensor->name);
}

void tare_stats_free(tare_stats **const handle) {
  tare_stats *const stats = *handle;
  if (!stats) {
    return;
  }
  for (int i = 0; i < stats->n_tensors; i++) {
    free_tensor(&stats->tensors[i], stats->n_profiles);
  }
  for (int i = 0; stats->profiles && i < stats->n_profiles; i++) {
    free(stats->profiles[i].spec);
  }
  for (int i = 0; stats->inputs && i < stats->n_inputs; i++) {
    free(stats->inputs[i]);
  }
  for (int i = 0; stats->aliases && i < stats->n_aliases; i++) {
    free(stats->aliases[i].name);
    free(stats->aliases[i].source);
  }
  tarei_roundings_fini(&stats->roundings);
  tarei_smoothings_fini(&stats->smoothings);
  tarei_numbers_fini_all(stats->numbers);
  tarei_settings_fini(&stats->settings);
  tarei_ledger_fini(&stats->ledger);
  tarei_sums_free(&stats->sums);
  free(stats->shards.items);
  free(stats->tensors);
  free(stats->profiles);
  free(stats->inputs);
  free(stats->aliases);
  free(stats->model_name);
  free(stats->gain_range);
  free(stats);
  *handle = NULL;
}

static int by_tensor_name(const void *const a, const void *const b) {
  return strcmp(((const tarei_stats_tensor *)a)->name, ((const tarei_stats_tensor *)b)->name);
}

static int by_alias_name(const void *const a, const void *const b) {
  return strcmp(((const tarei_stats_alias *)a)->name, ((const tarei_stats_alias *)b)->name);
}

void tarei_stats_sort(tare_stats *const stats) {
  qsort(stats->tensors, (size_t)stats->n_tensors, sizeof *stats->tensors, by_tensor_name);
  qsort(stats->aliases, (size_t)stats->n_aliases, sizeof *stats->aliases, by_alias_name);
  tarei_ledger_sort(&stats->ledger);
  tarei_named_sort(TAREI_NAMED(&stats->roundings));
  tarei_named_sort(TAREI_NAMED(&stats->smoothings));
  for (int k = 0; k < TAREI_NUMBERS_COUNT; k++) {
    tarei_named_sort(TAREI_NAMED(&stats->numbers[k]));
  }
}

static int stats_name_of_tensor(const void *const key, const void *const tensor) {
  return strcmp(key, ((const tarei_stats_tensor *)tensor)->name);
}

const tarei_stats_tensor *tarei_stats_find_tensor(const tare_stats *const stats,
                                                  const char *const name) {
  return bsearch(name, stats->tensors, (size_t)stats->n_tensors, sizeof *stats->tensors,
                 stats_name_of_tensor);
}

tare_status tarei_stats_add(tare_stats *const sum, const tare_stats *const sorted,
                            tare_error *const err) {
  if (sum->n_tensors != sorted->n_tensors || sum->n_profiles != sorted->n_profiles) {
    return tarei_fail(err, TARE_E_INPUT, "%d tensors were observed, expected %d", sorted->n_tensors,
                      sum->n_tensors);
  }
  for (int t = 0; t < sum->n_tensors; t++) {
    const tarei_stats_tensor *const from = tarei_stats_find_tensor(sorted, sum->tensors[t].name);
    if (!from) {
      return tarei_fail(err, TARE_E_INPUT, "tensor '%s' was not observed", sum->tensors[t].name);
    }
    for (int p = 0; p < sum->n_profiles; p++) {
      if (!tarei_accumulator_merge(&sum->tensors[t].buckets[p], &from->buckets[p])) {
        return tarei_fail_memory(err, "a histogram", TAREI_HISTOGRAM_BYTES);
      }
    }
  }
  sum->has_origins = sum->has_origins && sorted->has_origins;
  for (int p = 0; p < sum->n_profiles; p++) {
    sum->profiles[p].n_samples += sorted->profiles[p].n_samples;
  }
  return TARE_OK;
}

double tarei_stats_rows(const tare_stats *const stats, const tarei_accumulator *const a,
                        const int profile) {
  double n_rows = 0, n_samples = 0;
  for (int bin = 0; bin < TAREI_ROW_BINS; bin++) {
    n_rows += (double)a->rows[bin];
  }
  for (int p = 0; p < stats->n_profiles; p++) {
    n_samples += profile < 0 || p == profile ? (double)stats->profiles[p].n_samples : 0;
  }
  const bool weighed = *tarei_settings_find(&stats->settings, TAREI_SETTING_WEIGHT);
  return weighed || n_samples == 0 ? NAN : n_rows / n_samples;
}

tare_status tarei_stats_merged(const tarei_stats_tensor *const tensor, const int n_profiles,
                               tarei_accumulator *const out, tare_error *const err) {
  for (int p = 0; p < n_profiles; p++) {
    if (!tarei_accumulator_merge(out, &tensor->buckets[p])) {
      return tarei_fail_memory(err, "a histogram", TAREI_HISTOGRAM_BYTES);
    }
  }
  return TARE_OK;
}

uint64_t tare_stats_model_hash(const tare_stats *const stats) {
  return stats->model_hash;
}

const char *tare_stats_model_name(const tare_stats *const stats) {
  return stats->model_name;
}

int tare_stats_n_profiles(const tare_stats *const stats) {
  return stats->n_profiles;
}

const char *tare_stats_profile(const tare_stats *const stats, const int i) {
  return i >= 0 && i < stats->n_profiles ? stats->profiles[i].spec : NULL;
}

int64_t tare_stats_profile_samples(const tare_stats *const stats, const int profile) {
  if (!tarei_has_number(profile, stats->n_profiles)) {
    return 0;
  }
  return stats->profiles[profile].n_samples;
}

const char *tare_stats_fit(const tare_stats *const stats) {
  return tare_fit_name(stats->fit);
}

bool tare_stats_counts_padding(const tare_stats *const stats) {
  return stats->counts_padding;
}

bool tare_stats_all_tensors(const tare_stats *const stats) {
  return stats->all_tensors;
}

const char *tare_stats_gain_range(const tare_stats *const stats) {
  return stats->gain_range ? stats->gain_range : "";
}

int tare_stats_n_smoothed(const tare_stats *const stats) {
  return stats->smoothings.n;
}

int tare_stats_n_clipped(const tare_stats *const stats) {
  return stats->numbers[TAREI_NUMBERS_CLIPPING].n;
}

int tare_stats_n_corrected(const tare_stats *const stats) {
  return stats->numbers[TAREI_NUMBERS_MEANS].n;
}

int tare_stats_n_tensors(const tare_stats *const stats) {
  return stats->n_tensors;
}

tare_stats_entry tare_stats_get(const tare_stats *const stats, const int tensor,
                                const int profile) {
  if (!tarei_has_number(tensor, stats->n_tensors)) {
    return (tare_stats_entry){0};
  }
  if (!tarei_has_number(profile, stats->n_profiles)) {
    return (tare_stats_entry){0};
  }
  const tarei_accumulator *const a = &stats->tensors[tensor].buckets[profile];
  const bool known = a->min <= a->max;
  const tarei_row_loss loss = tarei_row_loss_predict(a, (double)tarei_accumulator_amax(a));
  return (tare_stats_entry){.tensor = stats->tensors[tensor].name,
                            .n_samples = a->n_samples,
                            .count = a->count,
                            .n_nan = a->n_nan,
                            .n_inf = a->n_inf,
                            .min = known ? (double)a->min : NAN,
                            .max = known ? (double)a->max : NAN,
                            .static_loss = loss.fixed,
                            .row_loss = loss.rows};
}

/* --- histograms of few bins, for people ------------------------------------------------------- */

/* The bin of a value; those of negative values are below 0. */
static int stats_histogram_bin(const double value, const double width) {
  return value < 0 ? -1 - (int)(-value / width) : (int)(value / width);
}

/* Adds the counts of one sign: bins that are 2^shift times as wide, the first of `out` being
 * `first`. */
static void stats_histogram_add(const tarei_counts *const counts, const bool negative,
                                const int shift, const int first, tare_histogram *const out) {
  int64_t page[TAREI_COUNTS_PAGE];
  for (int p = 0; p < TAREI_COUNTS_PAGES; p++) {
    tarei_counts_get(counts, p, page);
    for (int i = 0; i < TAREI_COUNTS_PAGE; i++) {
      if (page[i]) {
        const int magnitude = (p * TAREI_COUNTS_PAGE + i) >> shift;
        const int bin = (negative ? -1 - magnitude : magnitude) - first;
        assert(bin >= 0 && bin < out->n_bins);
        out->counts[bin] += page[i];
      }
    }
  }
}

static void stats_histogram_fill(const tarei_accumulator *const a, tare_histogram *const out) {
  const tarei_histogram *const h = &a->histogram;
  const double min = (double)a->min, max = (double)a->max;
  if (!(min <= max)) {
    return;
  }
  if (h->exponent == TAREI_HISTOGRAM_NO_EXPONENT) {
    *out = (tare_histogram){.n_bins = 1, .width = 1, .counts = {h->zeros}};
    return;
  }
  int shift = 0, first = 0, last = 0;
  for (;; shift++) {
    out->width = ldexp(1, h->exponent + shift);
    first = stats_histogram_bin(min, out->width);
    last = stats_histogram_bin(max, out->width);
    if (last - first < TARE_HISTOGRAM_BINS) {
      break;
    }
  }
  out->n_bins = last - first + 1;
  out->low = first * out->width;
  stats_histogram_add(&h->positive, false, shift, first, out);
  stats_histogram_add(&h->negative, true, shift, first, out);
}

tare_status tare_stats_histogram(const tare_stats *const stats, const int tensor,
                                 tare_histogram *const out, tare_error *const err) {
  TAREI_TRY(tarei_check_number("tensor", tensor, stats->n_tensors, err));
  *out = (tare_histogram){0};
  tarei_accumulator all;
  tarei_accumulator_init(&all);
  const tare_status status =
      tarei_stats_merged(&stats->tensors[tensor], stats->n_profiles, &all, err);
  if (status == TARE_OK) {
    stats_histogram_fill(&all, out);
  }
  tarei_accumulator_fini(&all);
  return status;
}
