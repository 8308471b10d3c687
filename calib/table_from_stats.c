/* Thresholds from statistics, and what a user must hear about them before they deploy. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/refusals.h"
#include "calib/calibrator.h"
#include "calib/row_loss.h"
#include "calib/stats.h"
#include "calib/table_warnings.h"
#include "graph/table/layer_numbers.h"
#include "graph/table/smoothing.h"
#include "graph/table/table.h"

typedef struct table_from_stats_job {
  const tare_stats *stats;
  const tarei_calibrator *calibrator;
  double percentile;
  tare_table *table;
  tarei_cell *cells;     /* [n_columns], of the tensor at hand */
  tarei_moments *before; /* scratch */
  const tare_table_options *options;
  int64_t *counts;    /* scratch of a calibrator of the program */
  tare_error refused; /* the first of its thresholds that cannot be used */
  tarei_findings findings;
} table_from_stats_job;

void tare_table_options_init(tare_table_options *const options) {
  *options = (tare_table_options){.percentile = TARE_DEFAULT_PERCENTILE};
}

static double table_from_stats_as_float(const double value) {
  return (double)(float)value;
}

/* Asks the calibrator; of one of the program, a threshold that cannot be used is kept as an error.
 */
static double table_from_stats_threshold(table_from_stats_job *const j,
                                         const tarei_distribution *const d, const char *const name,
                                         const int profile, bool *const degenerate) {
  if (!j->options->threshold) {
    return j->calibrator->threshold(d, j->percentile, degenerate);
  }
  tarei_distribution_counts(d, j->counts);
  const tare_distribution shown = {.tensor = name,
                                   .profile = profile,
                                   .amax = d->amax,
                                   .count = d->count,
                                   .width = d->width,
                                   .n_bins = d->n_bins,
                                   .counts = j->counts};
  const double t = j->options->threshold(j->options->threshold_user, &shown);
  if (!(t > 0 && isfinite(t)) && j->refused.status == TARE_OK) {
    (void)tarei_fail(&j->refused, TARE_E_USAGE,
                     "tensor '%s': method '%s' gives the threshold %g: expected a positive number",
                     name, j->calibrator->name, t);
  }
  return t;
}

/* One column of one tensor: a profile, or -1 for all. A threshold that is too small for a normal
 * scale counts as dead. */
static tarei_cell make_cell(table_from_stats_job *const j, const tarei_accumulator *const a,
                            const char *const name, const int profile, const bool judge) {
  const bool known = a->min <= a->max;
  tarei_cell cell = {.min = known ? (double)a->min : NAN,
                     .max = known ? (double)a->max : NAN,
                     .count = a->count,
                     .energy_lost = known ? 0 : NAN,
                     .static_loss = NAN,
                     .row_loss = NAN,
                     .rms = NAN,
                     .rows = table_from_stats_as_float(tarei_stats_rows(j->stats, a, profile))};
  const double amax = (double)tarei_accumulator_amax(a);
  if (amax < tarei_table_least_amax()) {
    return cell;
  }
  const tarei_distribution d = tarei_distribution_make(&a->histogram, amax, j->before);
  bool degenerate = false;
  const double t =
      table_from_stats_as_float(table_from_stats_threshold(j, &d, name, profile, &degenerate));
  cell.amax =
      isfinite(t) ? fmax(t, table_from_stats_as_float(tarei_table_least_amax() * 1.0001)) : amax;
  cell.energy_lost = table_from_stats_as_float(tarei_distribution_energy_lost(&d, cell.amax));
  const tarei_row_loss loss = tarei_row_loss_predict(a, cell.amax);
  cell.static_loss = table_from_stats_as_float(loss.fixed);
  cell.row_loss = table_from_stats_as_float(loss.rows);
  cell.rms = table_from_stats_as_float(loss.rms);
  if (judge) {
    tarei_findings_clipping(&j->findings, name, cell.energy_lost);
    tarei_findings_degenerate(&j->findings, name, degenerate);
  }
  return cell;
}

/* A bucket without data, or dead where the tensor is alive elsewhere, takes the merged threshold.
 */
static void fill_columns(table_from_stats_job *const j, const tarei_stats_tensor *const tensor,
                         const tarei_cell *const merged) {
  for (int p = 0; p < j->table->n_columns; p++) {
    tarei_cell *const cell = &j->cells[p];
    *cell = make_cell(j, &tensor->buckets[p], tensor->name, p, false);
    if (cell->count == 0) {
      *cell = *merged;
      cell->count = 0;
    } else if (cell->amax == 0) {
      cell->amax = merged->amax;
    }
  }
}

/* What a threshold of all data costs in the profiles. */
static void judge_profiles(table_from_stats_job *const j, const tarei_stats_tensor *const tensor,
                           const tarei_cell *const merged) {
  for (int p = 0; p < j->stats->n_profiles; p++) {
    const tarei_accumulator *const a = &tensor->buckets[p];
    const double amax = (double)tarei_accumulator_amax(a);
    if (merged->amax > 0 && amax > merged->amax) {
      const tarei_distribution d = tarei_distribution_make(&a->histogram, amax, j->before);
      tarei_findings_profile(&j->findings, tensor->name, p,
                             tarei_distribution_energy_lost(&d, merged->amax), merged->energy_lost);
    }
  }
}

static bool is_model_input(const tare_stats *const stats, const char *const name) {
  for (int i = 0; i < stats->n_inputs; i++) {
    if (strcmp(stats->inputs[i], name) == 0) {
      return true;
    }
  }
  return false;
}

static tare_status add_tensor(table_from_stats_job *const j, const tarei_stats_tensor *const tensor,
                              tare_error *const err) {
  tarei_accumulator all;
  tarei_accumulator_init(&all);
  tare_status status = tarei_stats_merged(tensor, j->stats->n_profiles, &all, err);
  if (status == TARE_OK) {
    const tarei_cell merged = make_cell(j, &all, tensor->name, -1 /* all */, true);
    tarei_findings_tensor(&j->findings, tensor->name, &all, &merged);
    if (tensor->is_read && !is_model_input(j->stats, tensor->name)) {
      tarei_findings_rows(&j->findings, tensor->name, &all, &merged);
    }
    if (j->table->per_profile) {
      fill_columns(j, tensor, &merged);
    } else {
      j->cells[0] = merged;
      judge_profiles(j, tensor, &merged);
    }
    status = j->refused.status == TARE_OK
                 ? tarei_table_add_tensor(j->table, tensor->name, NULL, j->cells, err)
                 : tarei_fail(err, j->refused.status, "%s", j->refused.message);
  }
  tarei_accumulator_fini(&all);
  return status;
}

static const tarei_table_tensor *table_from_stats_find_tensor(const tare_table *const table,
                                                              const int n, const char *const name) {
  int low = 0, high = n - 1; /* the statistics' tensors are sorted, and stand first */
  while (low <= high) {
    const int middle = low + (high - low) / 2;
    const int order = strcmp(name, table->tensors[middle].name);
    if (order == 0) {
      return &table->tensors[middle];
    }
    low = order > 0 ? middle + 1 : low;
    high = order < 0 ? middle - 1 : high;
  }
  return NULL;
}

/* Tensors that only move an observed one get its line, so that readers find every name. */
static tare_status add_aliases(table_from_stats_job *const j, tare_error *const err) {
  const size_t bytes = (size_t)j->table->n_columns * sizeof *j->cells;
  for (int i = 0; i < j->stats->n_aliases; i++) {
    const tarei_stats_alias *const alias = &j->stats->aliases[i];
    const tarei_table_tensor *const source =
        table_from_stats_find_tensor(j->table, j->stats->n_tensors, alias->source);
    if (source) {
      memcpy(j->cells, source->cells, bytes);
      TAREI_TRY(tarei_table_add_tensor(j->table, alias->name, alias->source, j->cells, err));
    }
  }
  return TARE_OK;
}

static tare_status fill_header(const table_from_stats_job *const j, tare_error *const err) {
  tare_table *const table = j->table;
  table->model_hash = j->stats->model_hash;
  TAREI_TRY(tarei_table_set_text(&table->model_name, j->stats->model_name, err));
  TAREI_TRY(tarei_table_set_text(&table->fit, tare_fit_name(j->stats->fit), err));
  TAREI_TRY(
      tarei_table_set_text(&table->pad_stats, j->stats->counts_padding ? "count" : "exclude", err));
  TAREI_TRY(tarei_table_set_text(&table->gain_range, tare_stats_gain_range(j->stats), err));
  for (int p = 0; p < j->stats->n_profiles; p++) {
    const tarei_stats_profile *const profile = &j->stats->profiles[p];
    TAREI_TRY(tarei_table_add_profile(table, profile->spec, profile->n_samples, err));
  }
  return j->calibrator->takes_percentile
             ? tarei_extras_add_number(&table->parameters, "percentile", j->percentile, err)
             : TARE_OK;
}

/* The range of a column; one without data takes that of all. */
static void smoothed_range(const tarei_smoothing *const s, const int first, const int end,
                           double *const min, double *const max) {
  double low = INFINITY, high = -INFINITY;
  for (int p = first; p < end; p++) {
    low = fmin(low, s->min[p]);
    high = fmax(high, s->max[p]);
  }
  if (fmax(-low, high) >= tarei_table_least_amax()) {
    *min = low;
    *max = high;
  }
}

/* A dead tensor is not smoothed. */
static tare_status add_smoothing(const table_from_stats_job *const j,
                                 const tarei_smoothing *const s, tare_error *const err) {
  double min[TARE_MAX_PROFILES] = {0}, max[TARE_MAX_PROFILES] = {0};
  const int n = j->stats->n_profiles, columns = j->table->n_columns;
  for (int p = 0; p < columns; p++) {
    smoothed_range(s, 0, n, &min[p], &max[p]);
    if (j->table->per_profile) {
      smoothed_range(s, p, p + 1, &min[p], &max[p]);
    }
  }
  return max[0] == 0 && min[0] == 0
             ? TARE_OK
             : tarei_smoothings_add(&j->table->smoothings, s->tensor, s->channels, s->exponents,
                                    columns, min, max, s->rms, err);
}

static tare_status table_from_stats_run(table_from_stats_job *const j, tare_error *const err) {
  j->cells = tarei_calloc((size_t)j->table->n_columns, sizeof *j->cells);
  j->before = tarei_calloc(TAREI_HISTOGRAM_BINS + 1, sizeof *j->before);
  j->counts = tarei_calloc(TAREI_HISTOGRAM_BINS, sizeof *j->counts);
  if (!j->cells || !j->before || !j->counts) {
    return tarei_fail_memory(err, "thresholds", TAREI_HISTOGRAM_BINS * sizeof *j->before);
  }
  TAREI_TRY(fill_header(j, err));
  for (int i = 0; i < j->stats->n_tensors; i++) {
    TAREI_TRY(add_tensor(j, &j->stats->tensors[i], err));
  }
  TAREI_TRY(tarei_findings_report(&j->findings, j->stats, j->calibrator->name, j->table, err));
  TAREI_TRY(add_aliases(j, err));
  for (int i = 0; i < j->stats->roundings.n; i++) {
    TAREI_TRY(tarei_roundings_copy(&j->table->roundings, &j->stats->roundings.items[i], err));
  }
  for (int i = 0; i < j->stats->smoothings.n; i++) {
    TAREI_TRY(add_smoothing(j, &j->stats->smoothings.items[i], err));
  }
  TAREI_TRY(tarei_numbers_copy_all(j->table->numbers, j->stats->numbers, err));
  TAREI_TRY(tarei_table_finish(j->table, "statistics", err));
  for (int i = 0; i < j->table->n_tensors; i++) {
    j->table->tensors[i].place = i; /* aliases were added last, but no file has this order */
  }
  return TARE_OK;
}

tare_status tare_table_from_stats(const tare_stats *const stats,
                                  const tare_table_options *const options, tare_table **const out,
                                  tare_error *const err) {
  tare_table_options defaults;
  tare_table_options_init(&defaults);
  const tare_table_options *const o = options ? options : &defaults;
  *out = NULL;
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_table_options, options, err));
  const tarei_calibrator own = {.name = o->method, .summary = ""};
  table_from_stats_job j = {
      .stats = stats, .calibrator = &own, .percentile = o->percentile, .options = o};
  if (j.percentile == 0) {
    j.percentile = TARE_DEFAULT_PERCENTILE;
  }
  if (!(j.percentile > 0 && j.percentile <= 100)) {
    return tarei_fail(err, TARE_E_USAGE, "percentile %g: expected above 0, at most 100",
                      j.percentile);
  }
  if (o->threshold && !o->method) {
    return tarei_fail(err, TARE_E_USAGE, "a calibrator of the program needs a name as its method");
  }
  TAREI_TRY(o->threshold ? TARE_OK : tarei_calibrator_find(o->method, &j.calibrator, err));
  const int n_columns = o->per_profile ? stats->n_profiles : 1;
  TAREI_TRY(tarei_table_new(j.calibrator->name, n_columns, &j.table, err));
  j.table->per_profile = o->per_profile;
  const unsigned refusals = tarei_refusals();
  const tare_status status =
      tarei_settle(refusals, table_from_stats_run(&j, err), stats->model_name, err);
  tarei_findings_fini(&j.findings);
  free(j.cells);
  free(j.before);
  free(j.counts);
  if (status != TARE_OK) {
    tare_table_free(&j.table);
  }
  *out = j.table;
  return status;
}
