#include <stdlib.h>
#include <string.h>

#include "tools/calibration.h"
#include "tools/compare/compare_work.h"
#include "tools/peak.h"
#include "tools/say.h"

static tare_status compare_calibrate(const compare_arguments *const a, const compare_work *const w,
                                     grid_pass *const pass, tare_stats **const stats,
                                     tare_error *const err) {
  calibration_progress p;
  tare_calibrate_options o = source_calibrate_options(&a->in, &w->lengths, w->streaming);
  o.fit = pass->fit;
  o.count_padding = pass->count_padding;
  opt_weight_methods_apply(&a->weight_methods, &o);
  o.fitted = &pass->fitted;
  calibration_progress_start(&p, &a->in.common, &o);
  p.deadline = compare_budget_deadline(&w->budget);
  CLI_TRY(tare_dataset_rewind(w->calib, err));
  (void)peak_restart(); /* said once, for all rows */
  const double start = cli_now();
  const tare_status status = tare_calibrate(w->model, w->calib, w->profiles, &o, stats, err);
  calibration_progress_end(&p);
  CLI_TRY(status);
  pass->seconds = cli_now() - start;
  pass->peak = peak_bytes();
  for (int i = 0; i < tare_stats_n_profiles(*stats); i++) {
    pass->samples += tare_stats_profile_samples(*stats, i);
  }
  return TARE_OK;
}

/* A table that cannot be made is noted and the others go on: the pass may have taken hours. */
static void compare_make_table(const tare_stats *const stats, grid_strategy *const s) {
  tare_table_options o;
  tare_table_options_init(&o);
  o.method = tare_method_name(s->method_number);
  o.percentile = s->percentile;
  o.per_profile = s->per_profile;
  (void)tare_table_from_stats(stats, &o, &s->table, &s->error);
}

static tare_status calibrate_pass(const compare_arguments *const a, compare_work *const w,
                                  const int pass, tare_error *const err) {
  tare_stats *stats = NULL;
  CLI_TRY(compare_calibrate(a, w, &w->grid.passes[pass], &stats, err));
  w->grid.passes[pass].drift = range_drift_of(stats, w->profiles);
  for (int i = 0; i < w->grid.n; i++) {
    if (w->grid.items[i].pass == pass) {
      compare_make_table(stats, &w->grid.items[i]);
    }
  }
  const tare_status status = a->reports.n > 0 && pass == 0
                                 ? details_take_tensors(&w->details, stats, &w->grid, pass, err)
                                 : TARE_OK;
  tare_stats_free(&stats);
  CLI_TRY(status);
  char *const what = cli_format("calibration %s", tare_fit_name(w->grid.passes[pass].fit));
  say_fitted(&a->in.common, what, &w->grid.passes[pass].fitted);
  free(what);
  return TARE_OK;
}

/* --- within a time ---------------------------------------------------------------------------- */

static double longest_pass(const grid *const g) {
  double longest = 0;
  for (int i = 0; i < g->n_passes; i++) {
    longest = g->passes[i].seconds > longest ? g->passes[i].seconds : longest;
  }
  return longest;
}

/* A pass that is stopped by the budget is no error. */
static tare_status measure_pass(const compare_arguments *const a, compare_work *const w,
                                const compare_eval *const e, const int pass,
                                tare_error *const err) {
  tare_error why = {0};
  const tare_status status = calibrate_pass(a, w, pass, &why);
  if (status == TARE_E_CHECK && !compare_budget_allows(&w->budget, 0)) {
    return TARE_OK;
  }
  if (status != TARE_OK) {
    return cli_fail(err, status, "%s", why.message);
  }
  return compare_evaluate(e, &w->grid, pass, err);
}

/* They come in their order. */
static int n_finished(const grid *const g) {
  int n = 0;
  while (n < g->n_passes && g->passes[n].samples > 0) {
    n++;
  }
  return n;
}

/* Moves what was left out behind the others. */
static void set_aside(grid *const g) {
  grid_strategy *const sorted = cli_realloc(NULL, (size_t)g->n, sizeof *sorted);
  int n = 0;
  for (int done = 1; done >= 0; done--) {
    for (int i = 0; i < g->n; i++) {
      if (g->items[i].done == done) {
        sorted[n++] = g->items[i];
      }
    }
    g->n_left = done ? g->n - n : g->n_left;
  }
  memcpy(g->items, sorted, (size_t)g->n * sizeof *sorted);
  g->n -= g->n_left;
  free(sorted);
}

static tare_status measure_within(const compare_arguments *const a, compare_work *const w,
                                  const compare_eval *const e, tare_error *const err) {
  for (int i = 0; i < w->grid.n_passes && compare_budget_allows(&w->budget, longest_pass(&w->grid));
       i++) {
    CLI_TRY(measure_pass(a, w, e, i, err));
  }
  set_aside(&w->grid);
  w->grid.n_passes = n_finished(&w->grid);
  return TARE_OK;
}

tare_status compare_measure(const compare_arguments *const a, compare_work *const w,
                            const compare_eval *const e, tare_error *const err) {
  if (w->budget.seconds > 0) {
    return measure_within(a, w, e, err);
  }
  for (int i = 0; i < w->grid.n_passes; i++) {
    CLI_TRY(calibrate_pass(a, w, i, err));
  }
  return compare_evaluate(e, &w->grid, COMPARE_ALL_PASSES, err);
}
