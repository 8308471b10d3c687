#include <stdlib.h>
#include <string.h>

#include "tools/calibration.h"
#include "tools/compare/compare_work.h"
#include "tools/peak.h"
#include "tools/say.h"
#include "tools/signals.h"

enum { CHECKPOINT_SECONDS = 60 };

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
  char *checkpoint = NULL;
  tare_stats *resumed = NULL;
  tare_status status = kept_checkpoint(&w->kept, pass, &checkpoint, &resumed, err);
  o.checkpoint = checkpoint;
  o.checkpoint_seconds = CHECKPOINT_SECONDS;
  o.resume = resumed;
  if (status == TARE_OK) {
    status = tare_dataset_rewind(w->calib, err);
  }
  (void)peak_restart(); /* said once, for all rows */
  const double start = cli_now();
  if (status == TARE_OK) {
    status = tare_calibrate(w->model, w->calib, w->profiles, &o, stats, err);
  }
  calibration_progress_end(&p);
  tare_stats_free(&resumed);
  free(checkpoint);
  CLI_TRY(status);
  pass->seconds = cli_now() - start;
  pass->peak = peak_bytes();
  pass->samples = 0;
  for (int i = 0; i < tare_stats_n_profiles(*stats); i++) {
    pass->samples += tare_stats_profile_samples(*stats, i);
  }
  return TARE_OK;
}

static double longest_pass(const grid *const g) {
  double longest = 0;
  for (int i = 0; i < g->n_passes; i++) {
    longest = g->passes[i].seconds > longest ? g->passes[i].seconds : longest;
  }
  return longest;
}

/* Statistics that are kept, or else those of a calibration, which then are. */
static tare_status compare_collect(const compare_arguments *const a, compare_work *const w,
                                   grid_pass *const pass, tare_stats **const stats,
                                   tare_error *const err) {
  CLI_TRY(kept_take_pass(&w->kept, pass, stats, err));
  if (*stats) {
    return TARE_OK;
  }
  if (signals_interrupted() || !compare_budget_allows(&w->budget, longest_pass(&w->grid))) {
    return cli_fail(err, TARE_E_CHECK, "stopped before the calibration");
  }
  CLI_TRY(compare_calibrate(a, w, pass, stats, err));
  const tare_status status = kept_keep_pass(&w->kept, pass, *stats, err);
  if (status != TARE_OK) {
    tare_stats_free(stats);
    pass->samples = 0;
  }
  return status;
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
  CLI_TRY(compare_collect(a, w, &w->grid.passes[pass], &stats, err));
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
  const grid_pass *const p = &w->grid.passes[pass];
  char *const what = cli_format("calibration %s%s", tare_fit_name(p->fit),
                                p->count_padding ? " counted" : "");
  say_fitted(&a->in.common, what, &p->fitted);
  free(what);
  return TARE_OK;
}

/* --- what is measured, and what is left out --------------------------------------------------- */

/* Whether a step that ended with a status was stopped, which is no error. */
static bool is_stopped(compare_work *const w, const tare_status status) {
  return status == TARE_E_CHECK && (signals_interrupted() || !compare_budget_allows(&w->budget, 0));
}

static tare_status measure_pass(const compare_arguments *const a, compare_work *const w,
                                const compare_eval *const e, const int pass,
                                tare_error *const err) {
  tare_error why = {0};
  const tare_status status = calibrate_pass(a, w, pass, &why);
  if (is_stopped(w, status)) {
    return TARE_OK;
  }
  if (status != TARE_OK) {
    return cli_fail(err, status, "%s", why.message);
  }
  return compare_evaluate(e, &w->grid, pass, err);
}

/* Whether a strategy can be shown: with the calibration that it is of. */
static bool is_finished(const grid *const g, const grid_strategy *const s) {
  return s->done && (s->pass < 0 || g->passes[s->pass].samples > 0);
}

/* Moves what was left out behind the others. */
static void set_aside(grid *const g) {
  grid_strategy *const sorted = cli_realloc(NULL, (size_t)g->n, sizeof *sorted);
  int n = 0;
  for (int done = 1; done >= 0; done--) {
    for (int i = 0; i < g->n; i++) {
      if (is_finished(g, &g->items[i]) == (done == 1)) {
        sorted[n++] = g->items[i];
      }
    }
    g->n_left = done ? g->n - n : g->n_left;
  }
  memcpy(g->items, sorted, (size_t)g->n * sizeof *sorted);
  g->n -= g->n_left;
  free(sorted);
}

/* The same of calibrations. */
static void set_passes_aside(grid *const g) {
  grid_pass *const sorted = cli_realloc(NULL, (size_t)g->n_passes, sizeof *sorted);
  int *const places = cli_realloc(NULL, (size_t)g->n_passes, sizeof *places);
  int n = 0, n_finished = 0;
  for (int finished = 1; finished >= 0; finished--) {
    for (int i = 0; i < g->n_passes; i++) {
      if ((g->passes[i].samples > 0) == (finished == 1)) {
        places[i] = n;
        sorted[n++] = g->passes[i];
      }
    }
    n_finished = finished ? n : n_finished;
  }
  for (int i = 0; i < g->n + g->n_left; i++) {
    grid_strategy *const s = &g->items[i];
    s->pass = s->pass < 0 ? s->pass : places[s->pass];
  }
  memcpy(g->passes, sorted, (size_t)g->n_passes * sizeof *sorted);
  g->n_passes = n_finished;
  free(sorted);
  free(places);
}

/* --- all -------------------------------------------------------------------------------------- */

static tare_status measure_by_pass(const compare_arguments *const a, compare_work *const w,
                                   const compare_eval *const e, tare_error *const err) {
  for (int i = 0; i < w->grid.n_passes; i++) { /* to the last one: it may be kept */
    CLI_TRY(measure_pass(a, w, e, i, err));
  }
  return TARE_OK;
}

static tare_status measure_at_once(const compare_arguments *const a, compare_work *const w,
                                   const compare_eval *const e, tare_error *const err) {
  for (int i = 0; i < w->grid.n_passes; i++) {
    tare_error why = {0};
    const tare_status status = calibrate_pass(a, w, i, &why);
    if (is_stopped(w, status)) {
      return TARE_OK;
    }
    if (status != TARE_OK) {
      return cli_fail(err, status, "%s", why.message);
    }
  }
  return compare_evaluate(e, &w->grid, COMPARE_ALL_PASSES, err);
}

tare_status compare_measure(const compare_arguments *const a, compare_work *const w,
                            const compare_eval *const e, tare_error *const err) {
  const bool by_pass = w->budget.seconds > 0 || w->kept.folder;
  CLI_TRY((by_pass ? measure_by_pass : measure_at_once)(a, w, e, err));
  set_aside(&w->grid);
  set_passes_aside(&w->grid);
  return TARE_OK;
}
